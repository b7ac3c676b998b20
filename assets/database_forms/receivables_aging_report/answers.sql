-- Borrowing base certificate: receivables, inventory and working capital loans at the end of the year.

-- Whose, and as of when.
-- about
SELECT c.legal_name || ' as of December 31, ' || CAST(:year AS TEXT) || '.' AS subject, c.legal_name AS borrower,
  CAST(:year AS INTEGER) AS year_of_certificate
FROM clients c WHERE c.client_id = :client_id;

-- The borrower and who signs.
SELECT c.trade_name AS trade_name, c.tax_id AS taxpayer_number, c.formed_in AS formed_in, c.formed_on AS formed_on,
  c.phone AS borrower_phone, c.entity_type AS entity_type,
  a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS principal_office,
  k.first_name AS treasurer_first, k.last_name AS treasurer_last
FROM clients c JOIN addresses a ON a.address_id = c.address_id
  JOIN contacts k ON k.client_id = c.client_id AND k.role = 'treasurer' AND k.to_date IS NULL
WHERE c.client_id = :client_id;

-- Schedule B: the largest unpaid invoices.
-- each
SELECT i.invoice_number AS invoice, k.name AS invoice_customer, i.due_on AS invoice_due, i.total AS invoice_total
FROM invoices i JOIN customers k ON k.customer_id = i.customer_id
WHERE i.client_id = :client_id AND i.status IN ('paid', 'open') AND i.issued_on <= :year_end
  AND (i.paid_on IS NULL OR i.paid_on > :year_end)
ORDER BY i.total DESC, i.invoice_number LIMIT 4;

-- Line C2: the customer who owes the most.
SELECT k.name AS largest_customer
FROM invoices i JOIN customers k ON k.customer_id = i.customer_id
WHERE i.client_id = :client_id AND i.status IN ('paid', 'open') AND i.issued_on <= :year_end
  AND (i.paid_on IS NULL OR i.paid_on > :year_end)
GROUP BY k.customer_id, k.name ORDER BY sum(i.total) DESC, k.customer_id LIMIT 1;

-- Lines D1 and D2: the working capital loans.
-- each
SELECT v.name AS lender, l.loan_number AS loan_number, l.interest_rate AS loan_rate,
  coalesce((SELECT p.balance_after FROM loan_payments p
    WHERE p.loan_id = l.loan_id AND p.status = 'paid' AND p.paid_on <= :year_end
    ORDER BY p.paid_on DESC, p.due_on DESC LIMIT 1), l.original_amount) AS loan_balance
FROM loans l JOIN vendors v ON v.vendor_id = l.lender_id
WHERE l.client_id = :client_id AND l.status = 'active' AND l.loan_type IN ('term', 'credit_line')
  AND l.opened_on <= :year_end
ORDER BY l.opened_on, l.loan_id LIMIT 2;

-- Schedules A, C and D.
WITH unpaid AS (
  SELECT i.customer_id, i.due_on, i.total, k.tax_exempt
  FROM invoices i JOIN customers k ON k.customer_id = i.customer_id
  WHERE i.client_id = :client_id AND i.status IN ('paid', 'open') AND i.issued_on <= :year_end
    AND (i.paid_on IS NULL OR i.paid_on > :year_end)
), ages AS (
  SELECT count(CASE WHEN due_on >= :year_end THEN 1 END) AS n1,
    coalesce(sum(CASE WHEN due_on >= :year_end THEN total END), 0) AS a1,
    count(CASE WHEN due_on < :year_end AND due_on >= :days_30_before THEN 1 END) AS n2,
    coalesce(sum(CASE WHEN due_on < :year_end AND due_on >= :days_30_before THEN total END), 0) AS a2,
    count(CASE WHEN due_on < :days_30_before AND due_on >= :days_60_before THEN 1 END) AS n3,
    coalesce(sum(CASE WHEN due_on < :days_30_before AND due_on >= :days_60_before THEN total END), 0) AS a3,
    count(CASE WHEN due_on < :days_60_before AND due_on >= :days_90_before THEN 1 END) AS n4,
    coalesce(sum(CASE WHEN due_on < :days_60_before AND due_on >= :days_90_before THEN total END), 0) AS a4,
    count(CASE WHEN due_on < :days_90_before THEN 1 END) AS n5,
    coalesce(sum(CASE WHEN due_on < :days_90_before THEN total END), 0) AS a5,
    count(*) AS n6, coalesce(sum(total), 0) AS a6,
    coalesce(sum(CASE WHEN tax_exempt = 'yes' AND due_on >= :days_90_before THEN total END), 0) AS exempt
  FROM unpaid
), by_customer AS (
  SELECT sum(total) AS amount FROM unpaid GROUP BY customer_id
), most AS (
  SELECT max(amount) AS owed FROM by_customer
), goods AS (
  SELECT count(*) AS articles, coalesce(sum(n.quantity * n.unit_cost), 0) AS inventory,
    coalesce(sum(CASE WHEN n.location IN ('Shop floor', 'Back room') THEN n.quantity * n.unit_cost END), 0) AS excluded
  FROM inventory_counts n JOIN inventory_items i ON i.inventory_item_id = n.inventory_item_id
  WHERE i.client_id = :client_id AND n.counted_on = :year_end AND n.status = 'final'
), owing AS (
  SELECT coalesce((SELECT p.balance_after FROM loan_payments p
      WHERE p.loan_id = l.loan_id AND p.status = 'paid' AND p.paid_on <= :year_end
      ORDER BY p.paid_on DESC, p.due_on DESC LIMIT 1), l.original_amount) AS balance
  FROM loans l
  WHERE l.client_id = :client_id AND l.status = 'active' AND l.loan_type IN ('term', 'credit_line')
    AND l.opened_on <= :year_end
), loaned AS (
  SELECT coalesce(sum(balance), 0) AS balance FROM owing
), excess AS (
  SELECT CASE WHEN m.owed > a.a6 * 0.4 THEN round(m.owed - a.a6 * 0.4, 2) ELSE 0.00 END AS excess
  FROM ages a CROSS JOIN most m
), eligible AS (
  SELECT CASE WHEN a.a6 - a.a5 - a.exempt - e.excess > 0 THEN round(a.a6 - a.a5 - a.exempt - e.excess, 2)
    ELSE 0.00 END AS receivables
  FROM ages a CROSS JOIN excess e
), advances AS (
  SELECT round(r.receivables * 0.8, 2) AS on_receivables,
    CASE WHEN (g.inventory - g.excluded) * 0.72 > 55000 THEN 55000.00
      ELSE round((g.inventory - g.excluded) * 0.72, 2) END AS on_inventory,
    CASE WHEN (g.inventory - g.excluded) * 0.72 > 55000 THEN 'yes' ELSE 'no' END AS is_limited
  FROM eligible r CROSS JOIN goods g
), base AS (
  SELECT v.on_receivables + v.on_inventory AS base FROM advances v
)
SELECT a.n1 AS count_1, round(a.a1, 2) AS sum_1, a.n2 AS count_2, round(a.a2, 2) AS sum_2,
  a.n3 AS count_3, round(a.a3, 2) AS sum_3, a.n4 AS count_4, round(a.a4, 2) AS sum_4,
  a.n5 AS count_5, round(a.a5, 2) AS sum_5, a.n6 AS count_all, round(a.a6, 2) AS sum_all,
  CASE WHEN a.a5 > a.a6 * 0.1 THEN 'yes' ELSE 'no' END AS is_stale,
  round(a.exempt, 2) AS exempt_owed, round(m.owed, 2) AS largest_owed, round(e.excess, 2) AS concentration,
  round(r.receivables, 2) AS eligible_receivables, v.on_receivables AS receivables_advance,
  g.articles AS articles, round(g.inventory, 2) AS inventory, round(g.excluded, 2) AS excluded_inventory,
  round(g.inventory - g.excluded, 2) AS eligible_inventory, v.on_inventory AS inventory_advance, v.is_limited AS is_limited,
  round(b.base, 2) AS borrowing_base, round(o.balance, 2) AS loans_owed,
  CASE WHEN b.base - o.balance > 0.004 THEN round(b.base - o.balance, 2) END AS availability,
  CASE WHEN o.balance - b.base > 0.004 THEN round(o.balance - b.base, 2) END AS shortfall,
  CASE WHEN o.balance - b.base > 0.004 THEN 'over' ELSE 'within' END AS base_is,
  round(100 * o.balance / nullif(b.base, 0), 2) AS base_used
FROM ages a CROSS JOIN most m CROSS JOIN goods g CROSS JOIN loaned o CROSS JOIN excess e CROSS JOIN eligible r
  CROSS JOIN advances v CROSS JOIN base b;
