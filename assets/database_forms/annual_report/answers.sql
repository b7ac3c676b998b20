-- Annual Report of a Business Entity: the entity as it stood on December 31, and the fee that follows from its year.

-- what the goal tells, and the header
-- about
SELECT c.legal_name AS legal_name, CAST(:year AS INTEGER) AS report_year,
  c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c WHERE c.client_id = :client_id;

-- Part A: the entity
SELECT c.trade_name AS trade_name, c.state_file_number AS file_number, c.tax_id AS tax_id, c.entity_type AS entity_type,
  c.formed_on AS formed_on, c.formed_in AS formed_in, c.activity_code AS activity_code, c.activity AS activity,
  c.phone AS phone, c.accounting_method AS accounting_method,
  a.street || coalesce(', ' || a.unit, '') AS office_street, a.city AS office_city, a.county AS office_county,
  a.state AS office_state, a.zip AS office_zip,
  m.street || coalesce(', ' || m.unit, '') || ', ' || m.city || ', ' || m.state || ' ' || m.zip AS mailing_line
FROM clients c
JOIN addresses a ON a.address_id = c.address_id
JOIN addresses m ON m.address_id = c.mailing_address_id
WHERE c.client_id = :client_id;

-- Part A: how last year's report was confirmed
SELECT (SELECT f.confirmation_number FROM filings f
  WHERE f.client_id = :client_id AND f.filing_type = 'annual_report' AND f.tax_year = :prior_year AND f.status = 'accepted')
  AS prior_confirmation;

-- Part B: who was in office on December 31, a line for each role
WITH officers AS (
  SELECT k.role, k.first_name || ' ' || k.last_name AS name, k.from_date,
    a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS line
  FROM contacts k JOIN addresses a ON a.address_id = k.address_id
  WHERE k.client_id = :client_id AND k.from_date <= :year_end AND (k.to_date IS NULL OR k.to_date >= :year_end)
)
SELECT
  max(CASE WHEN role = 'registered_agent' THEN name END) AS agent_name,
  max(CASE WHEN role = 'registered_agent' THEN line END) AS agent_line,
  max(CASE WHEN role = 'registered_agent' THEN from_date END) AS agent_since,
  max(CASE WHEN role = 'president' THEN name END) AS president_name,
  max(CASE WHEN role = 'president' THEN from_date END) AS president_since,
  max(CASE WHEN role = 'president' THEN line END) AS president_line,
  max(CASE WHEN role = 'vice_president' THEN name END) AS vice_president_name,
  max(CASE WHEN role = 'vice_president' THEN from_date END) AS vice_president_since,
  max(CASE WHEN role = 'vice_president' THEN line END) AS vice_president_line,
  max(CASE WHEN role = 'secretary' THEN name END) AS secretary_name,
  max(CASE WHEN role = 'secretary' THEN from_date END) AS secretary_since,
  max(CASE WHEN role = 'secretary' THEN line END) AS secretary_line,
  max(CASE WHEN role = 'treasurer' THEN name END) AS treasurer_name
FROM officers;

-- Part C: holders of common shares on December 31, the largest first; two purchases of one holder are one holding
-- each
WITH common AS (
  SELECT o.holder_name, o.holder_type, sum(o.shares) AS shares FROM owners o
  WHERE o.client_id = :client_id AND o.share_class = 'common'
    AND o.acquired_on <= :year_end AND (o.disposed_on IS NULL OR o.disposed_on > :year_end)
  GROUP BY o.holder_name, o.holder_type
)
SELECT holder_name AS holder, holder_type AS holder_kind, shares AS holder_shares,
  round(100.0 * shares / (SELECT sum(shares) FROM common), 2) AS holder_percent
FROM common ORDER BY shares DESC LIMIT 5;

-- Part C: totals
WITH held AS (
  SELECT o.holder_name, o.share_class, sum(o.shares) AS shares FROM owners o
  WHERE o.client_id = :client_id AND o.acquired_on <= :year_end AND (o.disposed_on IS NULL OR o.disposed_on > :year_end)
  GROUP BY o.holder_name, o.share_class
)
SELECT sum(CASE WHEN share_class = 'common' THEN shares END) AS common_shares,
  coalesce(sum(CASE WHEN share_class = 'preferred' THEN shares END), 0) AS preferred_shares,
  CASE WHEN max(CASE WHEN share_class = 'common' THEN shares END) * 100
    > sum(CASE WHEN share_class = 'common' THEN shares END) * 40 THEN 'yes' ELSE 'no' END AS large_holder
FROM held;

-- Part D: employees on December 31, and wages by date of payment
SELECT
  (SELECT count(*) FROM employees e WHERE e.client_id = :client_id
    AND e.hired_on <= :year_end AND (e.terminated_on IS NULL OR e.terminated_on > :year_end)) AS employees,
  (SELECT round(sum(s.gross_pay), 2) FROM pay_slips s JOIN payroll_runs r ON r.payroll_run_id = s.payroll_run_id
    WHERE r.client_id = :client_id AND r.status = 'posted' AND r.pay_date BETWEEN :year_start AND :year_end) AS wages;

-- Parts D and E: receipts, and the fee by the printed scale. The tenth of a millionth makes half a cent round up.
WITH business AS (
  SELECT round(coalesce(sum(CASE WHEN t.item_code <> '1900' THEN t.amount END), 0), 2) AS receipts,
    round(coalesce(-sum(CASE WHEN t.item_code = '1900' THEN t.amount END), 0), 2) AS refunds
  FROM account_transactions t
  JOIN bank_accounts b ON b.account_id = t.account_id
  JOIN item_codes i ON i.item_code = t.item_code
  WHERE b.client_id = :client_id AND i.kind = 'income' AND t.status = 'posted'
    AND t.posted_on BETWEEN :year_start AND :year_end
), rental AS (
  SELECT round(coalesce(sum(p.amount), 0), 2) AS rents
  FROM property_items p
  JOIN properties q ON q.property_id = p.property_id
  JOIN item_codes i ON i.item_code = p.item_code
  WHERE q.client_id = :client_id AND i.kind = 'income' AND p.status = 'posted'
    AND p.item_date BETWEEN :year_start AND :year_end
), gross AS (
  SELECT receipts, refunds, rents, receipts - refunds + rents AS total FROM business, rental
), holdings AS (
  SELECT coalesce(sum(o.shares), 0) AS shares FROM owners o
  WHERE o.client_id = :client_id AND o.acquired_on <= :year_end AND (o.disposed_on IS NULL OR o.disposed_on > :year_end)
), staff AS (
  SELECT count(*) AS heads FROM employees e
  WHERE e.client_id = :client_id AND e.hired_on <= :year_end AND (e.terminated_on IS NULL OR e.terminated_on > :year_end)
), fees AS (
  SELECT CASE c.entity_type WHEN 'llc' THEN 95.00 WHEN 'partnership' THEN 70.00 ELSE 120.00 END AS entity_fee,
    round(CASE
      WHEN g.total <= 150000 THEN 0.0010 * g.total
      WHEN g.total <= 250000 THEN 150.00 + 0.0018 * (g.total - 150000)
      WHEN g.total <= 400000 THEN 330.00 + 0.0026 * (g.total - 250000)
      ELSE 720.00 + 0.0035 * (g.total - 400000) END + 0.0000001, 2) AS receipts_fee,
    round(0.02 * h.shares, 2) AS share_fee,
    CASE WHEN s.heads > 4 THEN 7.50 * (s.heads - 4) ELSE 0.00 END AS employee_fee
  FROM clients c, gross g, holdings h, staff s WHERE c.client_id = :client_id
)
SELECT receipts AS receipts, refunds AS refunds, round(receipts - refunds, 2) AS net_receipts, rents AS rents,
  round(total, 2) AS gross_receipts, entity_fee AS entity_fee, receipts_fee AS receipts_fee, share_fee AS share_fee,
  employee_fee AS employee_fee, round(entity_fee + receipts_fee + share_fee + employee_fee, 2) AS total_fee
FROM gross, fees;

-- who prepared the report
SELECT p.first_name || ' ' || p.last_name AS preparer_name
FROM preparers p WHERE p.preparer_id = :preparer_id;
