-- Monthly bank reconciliation: the operating account in the last month of the quarter.

-- Whose account, and which month.
-- about
SELECT c.legal_name || ', the operating account for the month of ' ||
    CASE CAST(:quarter AS INTEGER) WHEN 1 THEN 'March ' WHEN 2 THEN 'June ' WHEN 3 THEN 'September ' ELSE 'December ' END ||
    CAST(:year AS TEXT) || '.' AS subject,
  c.legal_name AS business, s.period_end AS month_ended
FROM clients c JOIN bank_accounts b ON b.client_id = c.client_id
  JOIN account_statements s ON s.account_id = b.account_id AND s.period_end = :month_end
WHERE b.account_id = :account_id;

-- The business, its account, and the people.
SELECT c.trade_name AS trade_name, c.tax_id AS taxpayer_number, b.bank_name AS bank, b.account_number AS account_number,
  b.routing_number AS routing_number, b.opened_on AS opened_on,
  s.first_name || ' ' || s.last_name AS signer, s.title AS signer_title,
  k.first_name AS bookkeeper_first, k.last_name AS bookkeeper_last, k.phone AS bookkeeper_phone
FROM bank_accounts b JOIN clients c ON c.client_id = b.client_id
  JOIN contacts s ON s.contact_id = b.signer_contact_id
  JOIN contacts k ON k.client_id = c.client_id AND k.role = 'bookkeeper' AND k.to_date IS NULL
WHERE b.account_id = :account_id;

-- Part 1: the largest receipt and the largest payment that cleared in the month.
-- each
SELECT t.cleared_on AS largest_in_date, t.method AS largest_in_method, t.amount AS largest_in
FROM account_transactions t
WHERE t.account_id = :account_id AND t.status = 'posted' AND t.amount > 0
  AND t.cleared_on BETWEEN :month_start AND :month_end
ORDER BY t.amount DESC, t.transaction_id LIMIT 1;

-- each
SELECT t.cleared_on AS largest_out_date, t.method AS largest_out_method, -t.amount AS largest_out
FROM account_transactions t
WHERE t.account_id = :account_id AND t.status = 'posted' AND t.amount < 0
  AND t.cleared_on BETWEEN :month_start AND :month_end
ORDER BY t.amount, t.transaction_id LIMIT 1;

-- Part 2: checks not cleared by the end of the month, the lowest numbers.
-- each
SELECT t.check_number AS check_number, t.posted_on AS check_date, v.name AS payee, -t.amount AS check_amount
FROM account_transactions t LEFT JOIN vendors v ON v.vendor_id = t.vendor_id
WHERE t.account_id = :account_id AND t.status = 'posted' AND t.method = 'check' AND t.amount < 0
  AND t.posted_on <= :month_end AND (t.cleared_on IS NULL OR t.cleared_on > :month_end)
ORDER BY CAST(t.check_number AS INTEGER), t.transaction_id LIMIT 4;

-- Part 3: money in not cleared by the end of the month, the earliest.
-- each
SELECT t.posted_on AS transit_date, t.item_code AS transit_code, t.amount AS transit_amount
FROM account_transactions t
WHERE t.account_id = :account_id AND t.status = 'posted' AND t.amount > 0
  AND t.posted_on <= :month_end AND (t.cleared_on IS NULL OR t.cleared_on > :month_end)
ORDER BY t.posted_on, t.amount, t.transaction_id LIMIT 2;

-- Parts 1 and 4, and the totals of parts 2 and 3.
WITH posted AS (
  SELECT amount, method, posted_on, cleared_on FROM account_transactions
  WHERE account_id = :account_id AND status = 'posted'
), cleared AS (
  SELECT count(CASE WHEN amount > 0 AND method IN ('deposit', 'cash') THEN 1 END) AS deposits,
    coalesce(sum(CASE WHEN amount > 0 AND method IN ('deposit', 'cash') THEN amount END), 0) AS deposit_sum,
    count(CASE WHEN amount > 0 AND method NOT IN ('deposit', 'cash') THEN 1 END) AS receipts,
    coalesce(sum(CASE WHEN amount > 0 AND method NOT IN ('deposit', 'cash') THEN amount END), 0) AS receipt_sum,
    count(CASE WHEN amount < 0 AND method = 'check' THEN 1 END) AS checks,
    coalesce(-sum(CASE WHEN amount < 0 AND method = 'check' THEN amount END), 0) AS check_sum,
    count(CASE WHEN amount < 0 AND method <> 'check' THEN 1 END) AS payments,
    coalesce(-sum(CASE WHEN amount < 0 AND method <> 'check' THEN amount END), 0) AS payment_sum,
    count(CASE WHEN amount >= 20000 OR amount <= -20000 THEN 1 END) AS large
  FROM posted WHERE cleared_on BETWEEN :month_start AND :month_end
), under_way AS (
  SELECT count(CASE WHEN amount < 0 AND method = 'check' THEN 1 END) AS checks,
    coalesce(-sum(CASE WHEN amount < 0 AND method = 'check' THEN amount END), 0) AS check_sum,
    count(CASE WHEN amount > 0 THEN 1 END) AS deposits,
    coalesce(sum(CASE WHEN amount > 0 THEN amount END), 0) AS deposit_sum,
    count(CASE WHEN amount < 0 AND method <> 'check' THEN 1 END) AS payments,
    coalesce(-sum(CASE WHEN amount < 0 AND method <> 'check' THEN amount END), 0) AS payment_sum
  FROM posted WHERE posted_on <= :month_end AND (cleared_on IS NULL OR cleared_on > :month_end)
), before AS (
  SELECT coalesce(sum(amount), 0) AS amount
  FROM posted WHERE posted_on < :month_start AND (cleared_on IS NULL OR cleared_on >= :month_start)
), booked AS (
  SELECT count(*) AS entries, coalesce(sum(CASE WHEN amount > 0 THEN amount END), 0) AS money_in,
    coalesce(-sum(CASE WHEN amount < 0 THEN amount END), 0) AS money_out
  FROM posted WHERE posted_on BETWEEN :month_start AND :month_end
), struck AS (
  SELECT count(*) AS entries FROM account_transactions
  WHERE account_id = :account_id AND status IN ('void', 'duplicate') AND posted_on BETWEEN :month_start AND :month_end
), statement AS (
  SELECT opening_balance AS opening, closing_balance AS closing FROM account_statements
  WHERE account_id = :account_id AND period_end = :month_end
), reckoned AS (
  SELECT s.opening + c.deposit_sum + c.receipt_sum - c.check_sum - c.payment_sum AS closing,
    s.closing + u.deposit_sum - u.check_sum - u.payment_sum AS adjusted,
    s.opening + b.amount AS register_start, s.opening + b.amount + k.money_in - k.money_out AS register_end
  FROM statement s CROSS JOIN cleared c CROSS JOIN under_way u CROSS JOIN before b CROSS JOIN booked k
)
SELECT c.deposits AS cleared_deposits, round(c.deposit_sum, 2) AS cleared_deposit_sum,
  c.receipts AS cleared_receipts, round(c.receipt_sum, 2) AS cleared_receipt_sum,
  c.deposits + c.receipts AS cleared_in, round(c.deposit_sum + c.receipt_sum, 2) AS cleared_in_sum,
  c.checks AS cleared_checks, round(c.check_sum, 2) AS cleared_check_sum,
  c.payments AS cleared_payments, round(c.payment_sum, 2) AS cleared_payment_sum,
  c.checks + c.payments AS cleared_out, round(c.check_sum + c.payment_sum, 2) AS cleared_out_sum,
  s.opening AS opening_balance, round(r.closing, 2) AS reckoned_closing, s.closing AS closing_balance,
  CASE WHEN s.closing - r.closing BETWEEN -0.004 AND 0.004 THEN 0.00
    ELSE round(s.closing - r.closing, 2) END AS statement_difference,
  CASE WHEN s.closing > s.opening THEN 'higher' ELSE 'lower' END AS closing_is,
  CASE WHEN c.large > 0 THEN 'yes' ELSE 'no' END AS has_large_items,
  u.checks AS outstanding_checks, round(u.check_sum, 2) AS outstanding_check_sum,
  u.deposits AS transit_deposits, round(u.deposit_sum, 2) AS transit_sum,
  u.payments AS outstanding_payments, round(u.payment_sum, 2) AS outstanding_payment_sum,
  round(r.adjusted, 2) AS adjusted_balance, round(r.register_start, 2) AS register_start,
  round(k.money_in, 2) AS posted_in, round(k.money_out, 2) AS posted_out, round(r.register_end, 2) AS register_end,
  CASE WHEN r.adjusted - r.register_end BETWEEN -0.004 AND 0.004 THEN 0.00
    ELSE round(r.adjusted - r.register_end, 2) END AS register_difference,
  CASE WHEN r.adjusted - r.register_end BETWEEN -0.004 AND 0.004 THEN 'yes' ELSE 'no' END AS is_reconciled,
  k.entries AS posted_entries, CASE WHEN x.entries > 0 THEN 'yes' ELSE 'no' END AS has_struck_entries
FROM statement s CROSS JOIN cleared c CROSS JOIN under_way u CROSS JOIN booked k CROSS JOIN struck x CROSS JOIN reckoned r;
