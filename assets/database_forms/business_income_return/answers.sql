-- Business income return of a year, on what the bank accounts show.

-- Who and when.
-- about
SELECT c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject, c.legal_name AS business,
  CAST(:year AS INTEGER) AS tax_year
FROM clients c WHERE c.client_id = :client_id;

-- The business.
SELECT c.trade_name AS trade_name, c.tax_id AS taxpayer_number, c.state_file_number AS state_file_number,
  c.activity_code AS activity_code, c.activity AS activity, c.phone AS business_phone, c.formed_on AS formed_on,
  c.entity_type AS entity_type, c.accounting_method AS accounting_method,
  a.street || coalesce(', ' || a.unit, '') AS mail_street, a.city AS mail_city, a.state AS mail_state, a.zip AS mail_zip
FROM clients c JOIN addresses a ON a.address_id = c.mailing_address_id
WHERE c.client_id = :client_id;

-- Lines 1 to 30 and 35 to 39: posted movements of all accounts in the year, by code; then what is reckoned from them.
WITH codes AS (
  SELECT t.item_code AS code, sum(t.amount) AS amount
  FROM account_transactions t JOIN bank_accounts b ON b.account_id = t.account_id
  WHERE b.client_id = :client_id AND t.status = 'posted' AND t.posted_on BETWEEN :year_start AND :year_end
  GROUP BY t.item_code
), lines AS (
  SELECT
    coalesce(sum(CASE WHEN code = '1010' THEN amount END), 0) AS l1,
    coalesce(-sum(CASE WHEN code = '7040' THEN amount END), 0) AS l2,
    coalesce(-sum(CASE WHEN code = '1900' THEN amount END), 0) AS l3,
    coalesce(sum(CASE WHEN code = '1020' THEN amount END), 0) AS l5,
    coalesce(sum(CASE WHEN code = '1030' THEN amount END), 0) AS l6,
    coalesce(sum(CASE WHEN code = '1040' THEN amount END), 0) AS l7,
    coalesce(sum(CASE WHEN code IN ('1050', '1090') THEN amount END), 0) AS l8,
    coalesce(-sum(CASE WHEN code = '5010' THEN amount END), 0) AS l10,
    coalesce(-sum(CASE WHEN code = '5020' THEN amount END), 0) AS l11,
    coalesce(-sum(CASE WHEN code = '5030' THEN amount END), 0) AS l12,
    coalesce(-sum(CASE WHEN code = '5040' THEN amount END), 0) AS l13,
    coalesce(-sum(CASE WHEN code = '5050' THEN amount END), 0) AS l14,
    coalesce(-sum(CASE WHEN code = '5060' THEN amount END), 0) AS l15,
    coalesce(-sum(CASE WHEN code = '5070' THEN amount END), 0) AS l16,
    coalesce(-sum(CASE WHEN code IN ('5080', '5090') THEN amount END), 0) AS l17,
    coalesce(-sum(CASE WHEN code = '5100' THEN amount END), 0) AS l18,
    coalesce(-sum(CASE WHEN code = '5110' THEN amount END), 0) AS l19,
    coalesce(round(-sum(CASE WHEN code = '5120' THEN amount END) * 0.6, 2), 0) AS l20,
    coalesce(-sum(CASE WHEN code IN ('5130', '5140') THEN amount END), 0) AS l21,
    coalesce(-sum(CASE WHEN code = '5150' THEN amount END), 0) AS l22,
    coalesce(-sum(CASE WHEN code = '5160' THEN amount END), 0) AS l23,
    coalesce(-sum(CASE WHEN code = '5170' THEN amount END), 0) AS l24,
    coalesce(-sum(CASE WHEN code = '5180' THEN amount END), 0) AS l25,
    CASE WHEN -sum(CASE WHEN code = '5190' THEN amount END) > 750 THEN 750.00
      ELSE coalesce(-sum(CASE WHEN code = '5190' THEN amount END), 0) END AS l26
  FROM codes
), sums AS (
  SELECT l.*, l1 - l2 - l3 AS l4, l1 - l2 - l3 + l5 + l6 + l7 + l8 AS l9,
    l10 + l11 + l12 + l13 + l14 + l15 + l16 + l17 + l18 + l19 + l20 + l21 + l22 + l23 + l24 + l25 + l26 AS l27
  FROM lines l
), net AS (
  SELECT s.*, l9 - l27 AS l28, CASE WHEN l9 > l27 THEN round((l9 - l27) * 0.088, 2) ELSE 0.00 END AS l29 FROM sums s
), tax AS (
  SELECT n.*, CASE WHEN l29 < 480 THEN 480.00 ELSE l29 END AS l30,
    (SELECT coalesce(sum(p.amount), 0) FROM tax_payments p WHERE p.client_id = :client_id
      AND p.tax_type = 'income_estimate' AND p.tax_year = :year AND p.status = 'paid') AS l35
  FROM net n
)
SELECT round(l1, 2) AS sales, round(l2, 2) AS sales_tax, round(l3, 2) AS refunds, round(l4, 2) AS net_sales,
  round(l5, 2) AS services, round(l6, 2) AS interest, round(l7, 2) AS rebates, round(l8, 2) AS other_income,
  round(l9, 2) AS total_income, round(l10, 2) AS advertising, round(l11, 2) AS vehicles, round(l12, 2) AS commissions,
  round(l13, 2) AS contract_labor, round(l14, 2) AS insurance, round(l15, 2) AS legal, round(l16, 2) AS office,
  round(l17, 2) AS rents, round(l18, 2) AS repairs, round(l19, 2) AS travel, round(l20, 2) AS meals,
  round(l21, 2) AS utilities, round(l22, 2) AS bank_charges, round(l23, 2) AS licenses, round(l24, 2) AS purchases,
  round(l25, 2) AS training, round(l26, 2) AS charity, round(l27, 2) AS total_expenses, round(l28, 2) AS net_income,
  round(l29, 2) AS tax, round(l30, 2) AS tax_due, round(l35, 2) AS estimates,
  CASE WHEN l30 - l35 > 0.004 THEN round(l30 - l35, 2) END AS balance_due,
  CASE WHEN l35 - l30 > 0.004 THEN round(l35 - l30, 2) END AS overpayment,
  round(100 * l28 / l9, 2) AS profit_rate,
  CASE WHEN l29 < 480 THEN 'yes' ELSE 'no' END AS is_smallest_tax
FROM tax;

-- Lines 31 to 34: estimated tax for the quarters of the year, whenever it was paid.
-- each
SELECT paid_on AS estimate_paid_on, amount AS estimate FROM tax_payments
WHERE client_id = :client_id AND tax_type = 'income_estimate' AND tax_year = :year AND status = 'paid'
ORDER BY quarter LIMIT 4;

-- Who signs, and who prepared the return.
SELECT k.first_name AS treasurer_first, k.last_name AS treasurer_last,
  p.first_name || ' ' || p.last_name AS preparer, p.ptin AS preparer_number, p.firm_name AS firm, p.firm_tax_id AS firm_number
FROM clients c JOIN contacts k ON k.client_id = c.client_id JOIN preparers p ON p.preparer_id = c.preparer_id
WHERE c.client_id = :client_id AND k.role = 'treasurer' AND k.to_date IS NULL;
