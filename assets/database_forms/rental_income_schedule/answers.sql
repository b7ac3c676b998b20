-- Schedule of Rental Income: rents, expenses and depreciation of the properties that a client lets, in one year.

-- The taxpayer: place of business, method of the books, accountant.
-- about
SELECT c.legal_name AS client_name,
  CAST(:year AS TEXT) AS tax_year,
  c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c
WHERE c.client_id = :client_id;

SELECT c.tax_id AS client_tax_id,
  c.accounting_method AS accounting_method,
  a.street || coalesce(', ' || a.unit, '') AS client_street,
  a.city || ', ' || a.state || ' ' || a.zip AS client_city_line,
  p.ptin AS ptin
FROM clients c
JOIN addresses a ON a.address_id = c.address_id
JOIN preparers p ON p.preparer_id = c.preparer_id
WHERE c.client_id = :client_id;

SELECT t.first_name || ' ' || t.last_name AS treasurer
FROM contacts t
WHERE t.client_id = :client_id AND t.role = 'treasurer' AND t.to_date IS NULL;

-- Parts I and II: a property each, the one acquired first is A. Sums of no items are missing; totals never are.
-- each
SELECT a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS property_line,
  p.acquired_on AS acquired,
  CASE p.property_type
    WHEN 'single_family' THEN 1 WHEN 'multi_family' THEN 2 WHEN 'vacation_rental' THEN 3
    WHEN 'commercial' THEN 4 WHEN 'mixed_use' THEN 5 ELSE 6 END AS property_kind,
  y.days_rented AS days_rented,
  y.days_personal AS days_personal,
  CASE WHEN p.manager_id IS NULL THEN 'no' ELSE 'yes' END AS managed,
  round(sum(CASE WHEN i.item_code = 'R10' THEN i.amount END), 2) AS rents,
  round(sum(CASE WHEN i.item_code IN ('R20', 'R30', 'R40') THEN i.amount END), 2) AS other_income,
  round(coalesce(sum(CASE WHEN k.kind = 'income' THEN i.amount END), 0), 2) AS total_income,
  round(sum(CASE WHEN i.item_code IN ('X05', 'X06', 'X08') THEN i.amount END), 2) AS advertising,
  round(sum(CASE WHEN i.item_code = 'X07' THEN i.amount END), 2) AS cleaning,
  round(sum(CASE WHEN i.item_code = 'X09' THEN i.amount END), 2) AS insurance,
  round(sum(CASE WHEN i.item_code IN ('X10', 'X11') THEN i.amount END), 2) AS fees,
  round(sum(CASE WHEN i.item_code IN ('X12', 'X13') THEN i.amount END), 2) AS interest,
  round(sum(CASE WHEN i.item_code IN ('X14', 'X15') THEN i.amount END), 2) AS repairs,
  round(sum(CASE WHEN i.item_code IN ('X16', 'X19') THEN i.amount END), 2) AS taxes,
  round(sum(CASE WHEN i.item_code = 'X17' THEN i.amount END), 2) AS utilities,
  round(coalesce(sum(CASE WHEN k.kind = 'expense' AND i.item_code <> 'X18' THEN i.amount END), 0), 2) AS total_expenses,
  round(sum(CASE WHEN i.item_code = 'X18' THEN i.amount END), 2) AS depreciation,
  round(coalesce(sum(CASE WHEN k.kind = 'income' THEN i.amount ELSE -i.amount END), 0), 2) AS net
FROM properties p
JOIN addresses a ON a.address_id = p.address_id
JOIN property_years y ON y.property_id = p.property_id AND y.tax_year = :year
LEFT JOIN property_items i
  ON i.property_id = p.property_id AND i.status = 'posted' AND i.item_date BETWEEN :year_start AND :year_end
LEFT JOIN item_codes k ON k.item_code = i.item_code
WHERE p.client_id = :client_id AND p.status = 'rented'
GROUP BY p.property_id, a.street, a.unit, a.city, a.state, a.zip, p.acquired_on, p.property_type, p.manager_id,
  y.days_rented, y.days_personal
ORDER BY p.acquired_on
LIMIT 3;

-- Part III: all properties together, in cents so that halves are rounded up.
WITH items AS (
  SELECT k.kind AS kind, i.item_code AS item_code, i.amount AS amount
  FROM property_items i
  JOIN properties p ON p.property_id = i.property_id
  JOIN item_codes k ON k.item_code = i.item_code
  WHERE p.client_id = :client_id AND p.status = 'rented'
    AND i.status = 'posted' AND i.item_date BETWEEN :year_start AND :year_end
), sums AS (
  SELECT CAST(round(sum(CASE WHEN kind = 'income' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS income,
    CAST(round(sum(CASE WHEN kind = 'expense' AND item_code <> 'X18' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS expenses,
    CAST(round(sum(CASE WHEN item_code = 'X18' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS depreciation,
    CAST(round(sum(CASE WHEN item_code = 'R10' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS rents
  FROM items
), days AS (
  SELECT CAST(sum(y.days_rented) AS BIGINT) AS days
  FROM property_years y
  JOIN properties p ON p.property_id = y.property_id
  WHERE p.client_id = :client_id AND p.status = 'rented' AND y.tax_year = :year
)
SELECT round(s.income / 100.0, 2) AS all_income,
  round(s.expenses / 100.0, 2) AS all_expenses,
  round(s.depreciation / 100.0, 2) AS all_depreciation,
  round((s.income - s.expenses - s.depreciation) / 100.0, 2) AS all_net,
  round((2 * s.rents + d.days) / (2 * d.days) / 100.0, 2) AS rent_per_day,
  round((20000 * s.expenses + s.income) / (2 * s.income) / 100.0, 2) AS expense_ratio,
  CASE WHEN s.income - s.expenses - s.depreciation < 0 THEN 'loss' ELSE 'income' END AS result
FROM sums s CROSS JOIN days d;
