-- Sales Tax Return: the sales of a quarter by invoice date, the tax at the printed rates against the tax charged.

-- about
SELECT c.legal_name AS client_name,
  CAST(:year AS TEXT) AS return_year,
  CAST(:quarter AS TEXT) AS return_quarter,
  c.legal_name || ' for quarter ' || CAST(:quarter AS TEXT) || ' of the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c
WHERE c.client_id = :client_id;

SELECT c.trade_name AS trade_name,
  c.tax_id AS client_tax_id,
  a.street || coalesce(', ' || a.unit, '') AS client_street,
  a.city || ', ' || a.state || ' ' || a.zip AS client_city_line,
  a.county AS county,
  c.activity AS activity,
  c.activity_code AS activity_code
FROM clients c
JOIN addresses a ON a.address_id = c.address_id
WHERE c.client_id = :client_id;

SELECT t.first_name || ' ' || t.last_name AS president,
  t.phone AS president_phone
FROM contacts t
WHERE t.client_id = :client_id AND t.role = 'president' AND t.to_date IS NULL;

-- Section 2, the months; the exchange rates tell the first day of the second one.
-- each
WITH months AS (
  SELECT 1 AS month UNION ALL SELECT 2 UNION ALL SELECT 3
), second AS (
  SELECT max(rate_on) AS first_day FROM exchange_rates WHERE rate_on > :quarter_start AND rate_on < :month_start
), sales AS (
  SELECT CASE WHEN i.issued_on >= :month_start THEN 3 WHEN i.issued_on >= s.first_day THEN 2 ELSE 1 END AS month,
    i.subtotal AS subtotal,
    i.sales_tax AS sales_tax,
    CASE WHEN c.tax_exempt = 'yes' THEN i.subtotal END AS exempt,
    CASE WHEN c.tax_exempt = 'no' THEN
      (SELECT sum(l.amount) FROM invoice_lines l WHERE l.invoice_id = i.invoice_id AND l.taxable = 'no') END AS untaxed
  FROM invoices i
  JOIN customers c ON c.customer_id = i.customer_id
  CROSS JOIN second s
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open')
    AND i.issued_on BETWEEN :quarter_start AND :quarter_end
)
SELECT count(s.subtotal) AS invoices,
  round(coalesce(sum(s.subtotal), 0), 2) AS gross,
  round(sum(s.exempt), 2) AS exempt,
  round(sum(s.untaxed), 2) AS untaxed,
  round(coalesce(sum(s.subtotal), 0) - coalesce(sum(s.exempt), 0) - coalesce(sum(s.untaxed), 0), 2) AS taxable,
  round(coalesce(sum(s.sales_tax), 0), 2) AS charged
FROM months m
LEFT JOIN sales s ON s.month = m.month
GROUP BY m.month
ORDER BY m.month;

-- Section 2, the quarter.
WITH sales AS (
  SELECT i.subtotal AS subtotal,
    i.sales_tax AS sales_tax,
    CASE WHEN c.tax_exempt = 'yes' THEN i.subtotal END AS exempt,
    CASE WHEN c.tax_exempt = 'no' THEN
      (SELECT sum(l.amount) FROM invoice_lines l WHERE l.invoice_id = i.invoice_id AND l.taxable = 'no') END AS untaxed
  FROM invoices i
  JOIN customers c ON c.customer_id = i.customer_id
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open')
    AND i.issued_on BETWEEN :quarter_start AND :quarter_end
)
SELECT count(*) AS invoices_quarter,
  round(coalesce(sum(subtotal), 0), 2) AS gross_quarter,
  round(sum(exempt), 2) AS exempt_quarter,
  round(sum(untaxed), 2) AS untaxed_quarter,
  round(coalesce(sum(subtotal), 0) - coalesce(sum(exempt), 0) - coalesce(sum(untaxed), 0), 2) AS taxable_quarter,
  round(coalesce(sum(sales_tax), 0), 2) AS charged_quarter
FROM sales;

-- Section 3, in cents so that halves are rounded up.
WITH sales AS (
  SELECT i.sales_tax AS sales_tax,
    CASE WHEN c.tax_exempt = 'no' THEN i.subtotal
      - coalesce((SELECT sum(l.amount) FROM invoice_lines l WHERE l.invoice_id = i.invoice_id AND l.taxable = 'no'), 0)
      ELSE 0 END AS taxable
  FROM invoices i
  JOIN customers c ON c.customer_id = i.customer_id
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open')
    AND i.issued_on BETWEEN :quarter_start AND :quarter_end
), sums AS (
  SELECT CAST(round(coalesce(sum(taxable), 0) * 100, 0) AS BIGINT) AS taxable,
    CAST(round(coalesce(sum(sales_tax), 0) * 100, 0) AS BIGINT) AS charged
  FROM sales
), taxes AS (
  SELECT (taxable * 583 + 5000) / 10000 AS city, (taxable * 71 + 5000) / 10000 AS district, charged
  FROM sums
), larger AS (
  SELECT city, district, city + district AS due, charged,
    CASE WHEN charged > city + district THEN charged ELSE city + district END AS to_pay
  FROM taxes
), allowed AS (
  SELECT city, district, due, charged, to_pay,
    CASE WHEN (to_pay * 13 + 500) / 1000 > 2500 THEN 2500 ELSE (to_pay * 13 + 500) / 1000 END AS allowance,
    (SELECT CAST(round(coalesce(sum(p.amount), 0) * 100, 0) AS BIGINT)
     FROM tax_payments p
     WHERE p.client_id = :client_id AND p.tax_type = 'sales_tax' AND p.tax_year = :year
       AND p.quarter = :quarter AND p.status = 'paid') AS paid
  FROM larger
)
SELECT round(city / 100.0, 2) AS city_tax,
  round(district / 100.0, 2) AS district_tax,
  round(due / 100.0, 2) AS tax_due,
  CASE WHEN due > charged THEN round((due - charged) / 100.0, 2) END AS too_little,
  CASE WHEN charged > due THEN round((charged - due) / 100.0, 2) END AS too_much,
  round(to_pay / 100.0, 2) AS to_pay,
  round(allowance / 100.0, 2) AS allowance,
  round((to_pay - allowance) / 100.0, 2) AS net_tax,
  round(paid / 100.0, 2) AS paid,
  CASE WHEN to_pay - allowance > paid THEN round((to_pay - allowance - paid) / 100.0, 2) END AS balance,
  CASE WHEN paid > to_pay - allowance THEN round((paid - to_pay + allowance) / 100.0, 2) END AS overpaid
FROM allowed;

SELECT max(p.paid_on) AS payment_date
FROM tax_payments p
WHERE p.client_id = :client_id AND p.tax_type = 'sales_tax' AND p.tax_year = :year
  AND p.quarter = :quarter AND p.status = 'paid';

-- Section 4: the largest customers, and their shares in percent.
-- each
WITH sales AS (
  SELECT i.customer_id AS customer_id, CAST(round(sum(i.subtotal) * 100, 0) AS BIGINT) AS cents
  FROM invoices i
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open')
    AND i.issued_on BETWEEN :quarter_start AND :quarter_end
  GROUP BY i.customer_id
), gross AS (
  SELECT CAST(sum(cents) AS BIGINT) AS cents FROM sales
)
SELECT c.customer_number AS customer_number,
  c.name AS customer,
  round(s.cents / 100.0, 2) AS customer_sales,
  round((20000 * s.cents + g.cents) / (2 * g.cents) / 100.0, 2) AS customer_share,
  c.tax_exempt AS customer_exempt
FROM sales s
JOIN customers c ON c.customer_id = s.customer_id
CROSS JOIN gross g
ORDER BY s.cents DESC, c.customer_id
LIMIT 5;
