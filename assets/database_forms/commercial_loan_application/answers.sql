-- Commercial Loan Application: what the applicant owes, owns and earns on December 31, and what may be lent on it.

-- what the goal tells, and the header
-- about
SELECT c.legal_name AS legal_name, CAST(:year AS INTEGER) AS statement_year,
  c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c WHERE c.client_id = :client_id;

-- Section 1: the applicant, its operating account, and its officers on December 31
SELECT c.tax_id AS tax_id, c.entity_type AS entity_type, c.activity AS activity, c.formed_on AS formed_on, c.phone AS phone,
  a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS office_line,
  b.bank_name AS bank_name, b.account_number AS account_number,
  p.first_name || ' ' || p.last_name AS president_name, p.phone AS president_phone,
  t.first_name || ' ' || t.last_name AS treasurer_name
FROM clients c
JOIN addresses a ON a.address_id = c.address_id
JOIN bank_accounts b ON b.account_id = :account_id
JOIN contacts p ON p.client_id = c.client_id AND p.role = 'president'
  AND p.from_date <= :year_end AND (p.to_date IS NULL OR p.to_date >= :year_end)
JOIN contacts t ON t.client_id = c.client_id AND t.role = 'treasurer'
  AND t.from_date <= :year_end AND (t.to_date IS NULL OR t.to_date >= :year_end)
WHERE c.client_id = :client_id;

-- Section 1: the guarantor is who holds most of the common shares on December 31
WITH common AS (
  SELECT o.holder_name, sum(o.shares) AS shares FROM owners o
  WHERE o.client_id = :client_id AND o.share_class = 'common'
    AND o.acquired_on <= :year_end AND (o.disposed_on IS NULL OR o.disposed_on > :year_end)
  GROUP BY o.holder_name
)
SELECT holder_name AS guarantor, round(100.0 * shares / (SELECT sum(shares) FROM common), 2) AS guarantor_percent
FROM common ORDER BY shares DESC LIMIT 1;

-- Section 2: debts on December 31, the earliest first, with what secures them in the first place
-- each
SELECT v.name AS lender, l.original_amount AS original_amount,
  coalesce((SELECT p.balance_after FROM loan_payments p WHERE p.loan_id = l.loan_id AND p.status = 'paid'
    AND p.paid_on <= :year_end ORDER BY p.due_on DESC LIMIT 1), l.original_amount) AS balance,
  l.monthly_payment AS monthly_payment, l.matures_on AS matures_on,
  (SELECT k.collateral_type FROM collateral k WHERE k.loan_id = l.loan_id AND k.lien_position = 1
    AND (k.released_on IS NULL OR k.released_on > :year_end)) AS collateral
FROM loans l JOIN vendors v ON v.vendor_id = l.lender_id
WHERE l.client_id = :client_id AND l.status = 'active' AND l.opened_on <= :year_end
ORDER BY l.opened_on LIMIT 5;

-- Sections 2 to 5: totals of all debts, assets, ratios, and the borrowing base
WITH debts AS (
  SELECT l.loan_id, l.loan_type, l.rate_type, l.monthly_payment,
    coalesce((SELECT p.balance_after FROM loan_payments p WHERE p.loan_id = l.loan_id AND p.status = 'paid'
      AND p.paid_on <= :year_end ORDER BY p.due_on DESC LIMIT 1), l.original_amount) AS balance,
    (SELECT sum(k.value) FROM collateral k WHERE k.loan_id = l.loan_id AND k.collateral_type = 'real_estate'
      AND (k.released_on IS NULL OR k.released_on > :year_end)) AS real_estate
  FROM loans l WHERE l.client_id = :client_id AND l.status = 'active' AND l.opened_on <= :year_end
), owed AS (
  SELECT sum(balance) AS debt, sum(monthly_payment) AS payments,
    sum(CASE WHEN loan_type = 'mortgage' THEN balance END) AS mortgages,
    sum(CASE WHEN loan_type = 'mortgage' THEN real_estate END) AS real_estate_value,
    sum(CASE WHEN loan_type = 'credit_line' THEN balance END) AS credit_line,
    max(CASE WHEN rate_type = 'variable' THEN 'yes' ELSE 'no' END) AS variable_rate
  FROM debts
), bank AS (
  SELECT s.closing_balance AS cash FROM account_statements s
  WHERE s.account_id = :account_id AND s.period_end = :year_end
), sales AS (
  SELECT coalesce(sum(i.total), 0) AS receivables,
    coalesce(sum(CASE WHEN i.due_on >= :days_30_before THEN i.total END), 0) AS eligible
  FROM invoices i
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open') AND i.issued_on <= :year_end
    AND (i.paid_on IS NULL OR i.paid_on > :year_end)
), goods AS (
  SELECT coalesce(sum(n.quantity * n.unit_cost), 0) AS inventory
  FROM inventory_counts n JOIN inventory_items i ON i.inventory_item_id = n.inventory_item_id
  WHERE i.client_id = :client_id AND n.status = 'final' AND n.counted_on = :year_end
), fixed AS (
  SELECT coalesce(sum(d.book_value), 0) AS equipment
  FROM assets a JOIN depreciation d ON d.asset_id = a.asset_id AND d.tax_year = :year
  WHERE a.client_id = :client_id AND a.placed_in_service_on <= :year_end
    AND (a.disposed_on IS NULL OR a.disposed_on > :year_end)
), land AS (
  SELECT coalesce(sum(p.purchase_price), 0) AS real_estate FROM properties p
  WHERE p.client_id = :client_id AND p.acquired_on <= :year_end AND (p.sold_on IS NULL OR p.sold_on > :year_end)
), sheet AS (
  SELECT cash, receivables, eligible, inventory, equipment, real_estate,
    cash + receivables + inventory + equipment + real_estate AS total
  FROM bank, sales, goods, fixed, land
), base AS (
  SELECT round(0.80 * eligible + 0.0000001, 2) AS on_receivables, round(0.50 * inventory + 0.0000001, 2) AS on_inventory
  FROM sheet
)
SELECT round(debt, 2) AS total_debt, round(payments, 2) AS total_payments, variable_rate AS variable_rate,
  cash AS cash, round(receivables, 2) AS receivables, round(inventory, 2) AS inventory, round(equipment, 2) AS equipment,
  round(real_estate, 2) AS real_estate, round(total, 2) AS total_assets, round(total - debt, 2) AS net_worth,
  round(100 * debt / total, 2) AS debt_to_assets,
  round(mortgages, 2) AS mortgages, round(real_estate_value, 2) AS real_estate_value,
  round(100 * mortgages / real_estate_value, 2) AS loan_to_value,
  round(eligible, 2) AS eligible_receivables, on_receivables AS on_receivables, on_inventory AS on_inventory,
  round(on_receivables + on_inventory, 2) AS borrowing_base, round(credit_line, 2) AS credit_line,
  CASE WHEN on_receivables + on_inventory > coalesce(credit_line, 0)
    THEN round(on_receivables + on_inventory - coalesce(credit_line, 0), 2) ELSE 0.00 END AS amount_applied_for
FROM owed, sheet, base;

-- Section 4: the year's cash flow, and what debts took of it
WITH business AS (
  SELECT round(coalesce(sum(CASE WHEN i.kind = 'income' THEN t.amount END), 0), 2) AS receipts,
    round(coalesce(-sum(CASE WHEN i.kind = 'expense' THEN t.amount END), 0), 2) AS expenses
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN item_codes i ON i.item_code = t.item_code
  WHERE b.client_id = :client_id AND t.status = 'posted' AND t.posted_on BETWEEN :year_start AND :year_end
), rental AS (
  SELECT round(coalesce(sum(CASE WHEN i.kind = 'income' THEN p.amount
    WHEN p.item_code NOT IN ('X12', 'X13', 'X18') THEN -p.amount END), 0), 2) AS net_rents
  FROM property_items p
  JOIN properties q ON q.property_id = p.property_id
  JOIN item_codes i ON i.item_code = p.item_code
  WHERE q.client_id = :client_id AND p.status = 'posted' AND p.item_date BETWEEN :year_start AND :year_end
), service AS (
  SELECT round(sum(p.principal + p.interest), 2) AS debt_service
  FROM loan_payments p JOIN loans l ON l.loan_id = p.loan_id
  WHERE l.client_id = :client_id AND p.status = 'paid' AND p.paid_on BETWEEN :year_start AND :year_end
), flow AS (
  SELECT receipts, expenses, net_rents, receipts - expenses + net_rents AS cash_flow FROM business, rental
)
SELECT receipts AS receipts, expenses AS expenses, net_rents AS net_rents, round(cash_flow, 2) AS cash_flow,
  debt_service AS debt_service, round(cash_flow / debt_service, 2) AS coverage
FROM flow, service;
