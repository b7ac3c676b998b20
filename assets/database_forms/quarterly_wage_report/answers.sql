-- Employer's Quarterly Wage Report: wages by pay date, taxes at the printed rates, deposits made for the quarter.

-- about
SELECT c.legal_name AS client_name,
  CAST(:year AS TEXT) AS report_year,
  CAST(:quarter AS TEXT) AS report_quarter,
  c.legal_name || ' for quarter ' || CAST(:quarter AS TEXT) || ' of the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c
WHERE c.client_id = :client_id;

SELECT c.tax_id AS client_tax_id,
  n.first_name || ' ' || n.last_name AS accountant,
  c.trade_name AS trade_name,
  a.street || coalesce(', ' || a.unit, '') AS mailing_street,
  a.city AS mailing_city,
  a.state AS mailing_state,
  a.zip AS mailing_zip
FROM clients c
JOIN addresses a ON a.address_id = c.mailing_address_id
JOIN preparers n ON n.preparer_id = c.preparer_id
WHERE c.client_id = :client_id;

SELECT t.first_name || ' ' || t.last_name AS treasurer,
  t.phone AS treasurer_phone
FROM contacts t
WHERE t.client_id = :client_id AND t.role = 'treasurer' AND t.to_date IS NULL;

-- Part A: the six with the highest wages of the quarter.
-- each
SELECT e.ssn AS ssn,
  e.first_name || coalesce(' ' || e.middle_initial, '') || ' ' || e.last_name AS employee,
  e.hired_on AS hired,
  round(sum(s.gross_pay), 2) AS wages,
  round(sum(s.federal_tax), 2) AS tax
FROM pay_slips s
JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
JOIN employees e ON e.employee_id = s.employee_id
WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :quarter_start AND :quarter_end
GROUP BY e.employee_id, e.ssn, e.first_name, e.middle_initial, e.last_name, e.hired_on
ORDER BY sum(s.gross_pay) DESC, e.employee_id
LIMIT 6;

-- The others together; missing if there are none.
WITH paid AS (
  SELECT s.employee_id AS employee_id, sum(s.gross_pay) AS wages, sum(s.federal_tax) AS tax
  FROM pay_slips s
  JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
  WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :quarter_start AND :quarter_end
  GROUP BY s.employee_id
), first_six AS (
  SELECT employee_id FROM paid ORDER BY wages DESC, employee_id LIMIT 6
)
SELECT round(sum(p.wages), 2) AS other_wages, round(sum(p.tax), 2) AS other_tax
FROM paid p
WHERE p.employee_id NOT IN (SELECT employee_id FROM first_six);

-- Part B: taxes and deposits, in cents so that halves are rounded up.
-- The training levy is for employers of more than six.
WITH paid AS (
  SELECT count(DISTINCT s.employee_id) AS employees,
    CAST(round(coalesce(sum(s.gross_pay), 0) * 100, 0) AS BIGINT) AS wages,
    CAST(round(coalesce(sum(s.federal_tax), 0) * 100, 0) AS BIGINT) AS tax
  FROM pay_slips s
  JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
  WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :quarter_start AND :quarter_end
), taxes AS (
  SELECT employees, wages, tax,
    (wages * 124 + 500) / 1000 AS security,
    (wages * 29 + 500) / 1000 AS medicare,
    CASE WHEN employees > 6 THEN (wages * 37 + 5000) / 10000 ELSE 0 END AS levy
  FROM paid
), balance AS (
  SELECT t.tax + t.security + t.medicare + t.levy AS total,
    (SELECT CAST(round(coalesce(sum(p.amount), 0) * 100, 0) AS BIGINT)
     FROM tax_payments p
     WHERE p.client_id = :client_id AND p.tax_type = 'payroll_deposit' AND p.tax_year = :year
       AND p.quarter = :quarter AND p.status = 'paid') AS deposits
  FROM taxes t
)
SELECT t.employees AS employees,
  round(t.wages / 100.0, 2) AS total_wages,
  round(t.tax / 100.0, 2) AS total_tax,
  round(t.security / 100.0, 2) AS security_tax,
  round(t.medicare / 100.0, 2) AS medicare_tax,
  round(t.levy / 100.0, 2) AS levy,
  round(b.total / 100.0, 2) AS total_taxes,
  round((2 * t.wages + t.employees) / (2 * t.employees) / 100.0, 2) AS average_wages,
  round(b.deposits / 100.0, 2) AS deposits,
  CASE WHEN b.total > b.deposits THEN round((b.total - b.deposits) / 100.0, 2) END AS balance_due,
  CASE WHEN b.deposits > b.total THEN round((b.deposits - b.total) / 100.0, 2) END AS overpaid
FROM taxes t CROSS JOIN balance b;

-- The deposits one by one.
-- each
SELECT p.paid_on AS deposit_date, p.amount AS deposit_amount
FROM tax_payments p
WHERE p.client_id = :client_id AND p.tax_type = 'payroll_deposit' AND p.tax_year = :year
  AND p.quarter = :quarter AND p.status = 'paid'
ORDER BY p.paid_on
LIMIT 3;

-- Part C: what is owed for each month; there is one posted payroll a month.
-- each
SELECT round(sum(s.federal_tax + 2 * s.social_security + 2 * s.medicare), 2) AS month_tax,
  count(*) AS month_slips
FROM pay_slips s
JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :quarter_start AND :quarter_end
GROUP BY r.payroll_run_id, r.pay_date
ORDER BY r.pay_date
LIMIT 3;

-- Part D: the unemployment fund, and the payroll return that was accepted.
WITH sums AS (
  SELECT (SELECT CAST(round(coalesce(sum(s.gross_pay), 0) * 100, 0) AS BIGINT)
      FROM pay_slips s
      JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
      WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :quarter_start AND :quarter_end) AS wages,
    (SELECT CAST(round(coalesce(sum(p.amount), 0) * 100, 0) AS BIGINT)
      FROM tax_payments p
      WHERE p.client_id = :client_id AND p.tax_type = 'unemployment' AND p.tax_year = :year
        AND p.quarter = :quarter AND p.status = 'paid') AS paid
)
SELECT round((wages * 65 + 5000) / 10000 / 100.0, 2) AS contribution,
  round(paid / 100.0, 2) AS unemployment_paid,
  round(((wages * 65 + 5000) / 10000 - paid) / 100.0, 2) AS unemployment_due
FROM sums;

SELECT f.confirmation_number AS confirmation, f.filed_on AS filed_on
FROM filings f
WHERE f.client_id = :client_id AND f.filing_type = 'payroll_return' AND f.tax_year = :year
  AND f.quarter = :quarter AND f.status = 'accepted';

-- Who left.
SELECT CASE WHEN count(*) > 0 THEN 'yes' ELSE 'no' END AS someone_left
FROM employees e
WHERE e.client_id = :client_id AND e.terminated_on BETWEEN :quarter_start AND :quarter_end;
