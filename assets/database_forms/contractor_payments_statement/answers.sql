-- Statement of Payments to Reportable Vendors: who was paid 1,000.00 or more in the year, not counting card payments.

-- what the goal tells, and the header
-- about
SELECT c.legal_name AS filer_name, CAST(:year AS INTEGER) AS calendar_year,
  c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c WHERE c.client_id = :client_id;

-- Part 1: the filer, the treasurer in office on December 31, and the preparer
SELECT c.trade_name AS trade_name, c.tax_id AS filer_tax_id, c.entity_type AS entity_type, c.phone AS filer_phone,
  m.street || coalesce(', ' || m.unit, '') || ', ' || m.city || ', ' || m.state || ' ' || m.zip AS filer_line,
  k.first_name || ' ' || k.last_name AS treasurer_name, k.phone AS treasurer_phone, k.email AS treasurer_email,
  p.first_name || ' ' || p.last_name AS preparer_name, p.firm_tax_id AS preparer_firm_tax_id
FROM clients c
JOIN addresses m ON m.address_id = c.mailing_address_id
JOIN contacts k ON k.client_id = c.client_id AND k.role = 'treasurer'
  AND k.from_date <= :year_end AND (k.to_date IS NULL OR k.to_date >= :year_end)
JOIN preparers p ON p.preparer_id = :preparer_id
WHERE c.client_id = :client_id;

-- Part 2: the first six payees, the largest total first
-- each
SELECT v.name AS payee, v.tax_id AS payee_tax_id, v.vendor_type AS payee_type,
  a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS payee_line,
  count(*) AS payee_payments, round(-sum(t.amount), 2) AS payee_total
FROM account_transactions t
JOIN bank_accounts b ON b.account_id = t.account_id
JOIN vendors v ON v.vendor_id = t.vendor_id
JOIN addresses a ON a.address_id = v.address_id
WHERE b.client_id = :client_id AND v.reportable = 'yes' AND t.status = 'posted' AND t.method <> 'card'
  AND t.posted_on BETWEEN :year_start AND :year_end
GROUP BY v.vendor_id, v.name, v.tax_id, v.vendor_type, a.street, a.unit, a.city, a.state, a.zip
HAVING -sum(t.amount) >= 1000
ORDER BY -sum(t.amount) DESC, v.name LIMIT 6;

-- Parts 2 and 3: payees in all, and those after the sixth, if any
WITH payees AS (
  SELECT v.vendor_id, v.name, -sum(t.amount) AS total
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN vendors v ON v.vendor_id = t.vendor_id
  WHERE b.client_id = :client_id AND v.reportable = 'yes' AND t.status = 'posted' AND t.method <> 'card'
    AND t.posted_on BETWEEN :year_start AND :year_end
  GROUP BY v.vendor_id, v.name
  HAVING -sum(t.amount) >= 1000
), ranked AS (
  SELECT total, row_number() OVER (ORDER BY total DESC, name) AS place FROM payees
)
SELECT count(*) AS payees,
  CASE WHEN count(*) > 6 THEN count(*) - 6 END AS further_payees,
  round(sum(CASE WHEN place > 6 THEN total END), 2) AS further_total,
  round(100 * max(total) / sum(total), 2) AS largest_percent,
  CASE WHEN 4.25 * count(*) < 30 THEN 30.00 ELSE 4.25 * count(*) END AS filing_charge
FROM ranked;

-- Part 3: their payments by purpose and by quarter. The tenth of a millionth makes half a cent round up.
WITH payments AS (
  SELECT t.vendor_id, t.item_code, t.posted_on, -t.amount AS amount
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN vendors v ON v.vendor_id = t.vendor_id
  WHERE b.client_id = :client_id AND v.reportable = 'yes' AND t.status = 'posted' AND t.method <> 'card'
    AND t.posted_on BETWEEN :year_start AND :year_end
), reported AS (
  SELECT p.item_code, CAST(p.posted_on AS TEXT) AS posted_day, p.amount FROM payments p
  WHERE p.vendor_id IN (SELECT x.vendor_id FROM payments x GROUP BY x.vendor_id HAVING sum(x.amount) >= 1000)
), days AS (
  SELECT CAST(:year AS TEXT) || '-04-01' AS april, CAST(:year AS TEXT) || '-07-01' AS july,
    CAST(:year AS TEXT) || '-10-01' AS october
)
SELECT
  round(coalesce(sum(CASE WHEN item_code = '5080' THEN amount END), 0), 2) AS rent_total,
  round(coalesce(sum(CASE WHEN item_code IN ('5030', '5040') THEN amount END), 0), 2) AS labor_total,
  round(coalesce(sum(CASE WHEN item_code = '5060' THEN amount END), 0), 2) AS legal_total,
  round(coalesce(sum(CASE WHEN item_code NOT IN ('5030', '5040', '5060', '5080') THEN amount END), 0), 2)
    AS other_total,
  round(sum(amount), 2) AS grand_total, count(*) AS payments,
  round(sum(amount) / count(*) + 0.0000001, 2) AS average_payment,
  round(coalesce(sum(CASE WHEN posted_day < april THEN amount END), 0), 2) AS quarter_1_total,
  round(coalesce(sum(CASE WHEN posted_day >= april AND posted_day < july THEN amount END), 0), 2) AS quarter_2_total,
  round(coalesce(sum(CASE WHEN posted_day >= july AND posted_day < october THEN amount END), 0), 2) AS quarter_3_total,
  round(coalesce(sum(CASE WHEN posted_day >= october THEN amount END), 0), 2) AS quarter_4_total
FROM reported, days;

-- Part 3: the largest single payment to any of them
WITH payments AS (
  SELECT t.transaction_id, t.vendor_id, t.posted_on, t.check_number, -t.amount AS amount
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN vendors v ON v.vendor_id = t.vendor_id
  WHERE b.client_id = :client_id AND v.reportable = 'yes' AND t.status = 'posted' AND t.method <> 'card'
    AND t.posted_on BETWEEN :year_start AND :year_end
)
SELECT p.amount AS largest_amount, p.posted_on AS largest_on, p.check_number AS largest_check, v.name AS largest_payee
FROM payments p JOIN vendors v ON v.vendor_id = p.vendor_id
WHERE p.vendor_id IN (SELECT x.vendor_id FROM payments x GROUP BY x.vendor_id HAVING sum(x.amount) >= 1000)
ORDER BY p.amount DESC, p.transaction_id LIMIT 1;

-- Part 4: all contract labor, whoever was paid, and what of it went to the payees
WITH payments AS (
  SELECT t.vendor_id, v.reportable, t.item_code, -t.amount AS amount
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN vendors v ON v.vendor_id = t.vendor_id
  WHERE b.client_id = :client_id AND t.status = 'posted' AND t.method <> 'card'
    AND t.posted_on BETWEEN :year_start AND :year_end
), payees AS (
  SELECT vendor_id FROM payments WHERE reportable = 'yes' GROUP BY vendor_id HAVING sum(amount) >= 1000
)
SELECT round(sum(amount), 2) AS contract_labor,
  round(coalesce(sum(CASE WHEN vendor_id IN (SELECT vendor_id FROM payees) THEN amount END), 0), 2) AS contract_labor_reported,
  round(coalesce(sum(CASE WHEN vendor_id NOT IN (SELECT vendor_id FROM payees) THEN amount END), 0), 2) AS contract_labor_left
FROM payments WHERE item_code = '5040';
