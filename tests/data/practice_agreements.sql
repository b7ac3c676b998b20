-- What books that agree with each other have none of: a name and how many there may be, then the query that counts.

-- balances of statements follow from each other: 0
SELECT count(*) FROM account_statements a JOIN account_statements b ON b.account_id = a.account_id AND
  b.period_start = date(a.period_end, '+1 day') WHERE abs(a.closing_balance - b.opening_balance) > 0.001;

-- statements follow from what was cleared: 0
SELECT count(*) FROM account_statements s WHERE abs(s.closing_balance - s.opening_balance - coalesce(( SELECT
  sum(amount) FROM account_transactions t WHERE t.account_id = s.account_id AND t.status = 'posted' AND
  t.cleared_on BETWEEN s.period_start AND s.period_end), 0)) > 0.001;

-- no account is overdrawn at the end of a month: 0
SELECT count(*) FROM account_statements WHERE closing_balance < 0;

-- invoices are the sum of their lines: 0
SELECT count(*) FROM invoices i WHERE abs(total - subtotal - sales_tax) > 0.001 OR abs(subtotal - ( SELECT
  sum(amount) FROM invoice_lines l WHERE l.invoice_id = i.invoice_id)) > 0.001;

-- lines are quantity by price: 0
SELECT count(*) FROM invoice_lines WHERE abs(quantity * unit_price - amount) > 0.001;

-- only paid invoices have a day of payment: 0
SELECT count(*) FROM invoices WHERE (status = 'paid') != (paid_on IS NOT NULL);

-- exempt customers pay no sales tax: 0
SELECT count(*) FROM invoices i JOIN customers c USING (customer_id) WHERE tax_exempt = 'yes' AND sales_tax != 0;

-- paid invoices came in: 0
SELECT count(*) FROM invoices i WHERE status = 'paid' AND 1 != (SELECT count(*) FROM account_transactions t
  WHERE t.description = i.invoice_number AND t.customer_id = i.customer_id AND t.posted_on = i.paid_on AND
  abs(t.amount - i.total) < 0.001 AND t.status = 'posted');

-- net pay is what is left: 0
SELECT count(*) FROM pay_slips WHERE net_pay <= 0 OR abs(gross_pay - federal_tax - social_security - medicare -
  state_tax - retirement - health_premium - net_pay) > 0.001;

-- nobody is paid who is not employed: 0
SELECT count(*) FROM pay_slips s JOIN payroll_runs r USING (payroll_run_id) JOIN employees e USING (employee_id)
  WHERE r.client_id != e.client_id OR e.hired_on > r.period_end OR e.terminated_on < r.period_start;

-- balances of loans follow from each other: 0
SELECT count(*) FROM loan_payments a JOIN loan_payments b ON b.loan_id = a.loan_id AND b.due_on = date(a.due_on,
  '+1 month') WHERE b.status != 'reversed' AND abs(a.balance_after - b.principal - b.balance_after) > 0.001;

-- no loan is overpaid: 0
SELECT count(*) FROM loan_payments WHERE balance_after < 0 OR principal < 0;

-- depreciation stays within the cost: 0
SELECT count(*) FROM depreciation d JOIN assets a USING (asset_id) WHERE d.amount <= 0 OR d.book_value <
  a.salvage_value - 0.001 OR abs(a.cost - d.accumulated - d.book_value) > 0.001;

-- values of shipments follow from the rates: 0
SELECT count(*) FROM shipment_lines l JOIN shipments s USING (shipment_id) JOIN exchange_rates r ON r.currency =
  s.currency AND r.rate_on = date(s.arrived_on, 'start of month') WHERE abs(l.value * r.usd_per_unit -
  l.value_usd) > 0.006;

-- duty follows from the value: 0
SELECT count(*) FROM shipment_lines WHERE abs(value_usd * duty_rate / 100 - duty) > 0.006;

-- dates of loans come one after another: 0
SELECT count(*) FROM loans WHERE NOT (opened_on < first_payment_on AND first_payment_on < matures_on);

-- contacts start before they end: 0
SELECT count(*) FROM contacts WHERE to_date <= from_date;

-- no check number is given twice, but for copies: 0
SELECT count(*) FROM (SELECT account_id, check_number FROM account_transactions WHERE check_number IS NOT NULL
  AND status = 'posted' GROUP BY account_id, check_number HAVING count(DISTINCT description || amount ||
  posted_on) > 1);

-- firms own, owe and employ nothing before they are founded, and nobody before coming of age: 0
WITH beginnings AS (SELECT client_id, acquired_on AS day FROM properties UNION ALL SELECT client_id, opened_on FROM loans
  UNION ALL SELECT client_id, placed_in_service_on FROM assets UNION ALL SELECT client_id, acquired_on FROM owners
  UNION ALL SELECT client_id, hired_on FROM employees UNION ALL SELECT client_id, opened_on FROM bank_accounts UNION ALL
  SELECT client_id, from_date FROM contacts UNION ALL SELECT client_id, client_since FROM clients)
  SELECT count(*) FROM beginnings JOIN clients USING (client_id) WHERE day < date(formed_on,
  CASE client_type WHEN 'person' THEN '+18 years' ELSE '+0 years' END);

-- what ends has begun: 0
SELECT (SELECT count(*) FROM properties WHERE sold_on <= acquired_on OR land_value >= purchase_price OR
  (sold_on IS NULL) != (sale_price IS NULL)) + (SELECT count(*) FROM assets WHERE disposed_on < placed_in_service_on) +
  (SELECT count(*) FROM employees WHERE terminated_on < hired_on OR hired_on < date(birth_date, '+16 years')) +
  (SELECT count(*) FROM owners WHERE disposed_on < acquired_on) + (SELECT count(*) FROM bank_accounts WHERE
  closed_on < opened_on) + (SELECT count(*) FROM shipments WHERE arrived_on <= shipped_on) + (SELECT count(*) FROM
  invoices WHERE due_on < issued_on OR paid_on < issued_on) + (SELECT count(*) FROM account_transactions WHERE
  cleared_on < posted_on) + (SELECT count(*) FROM collateral WHERE released_on < valued_on);

-- a purchase is financed on the day of it, and a mortgage is lower than the price: 0
SELECT count(*) FROM loans JOIN properties USING (property_id) WHERE opened_on < acquired_on OR original_amount >
  purchase_price OR (purpose LIKE 'Purchase%') != (opened_on = acquired_on);

-- only who buys from a seller has a seller and a broker to pay: 0
SELECT count(*) FROM loan_fees JOIN loans USING (loan_id) WHERE (paid_by = 'seller' OR fee_type = 'H03') AND
  purpose NOT LIKE 'Purchase of rental%';

-- who has been a client is no prospect: 0
SELECT count(*) FROM clients WHERE status = 'prospect' AND client_since IS NOT NULL;

-- no two clients have one address for e-mail: 0
SELECT count(*) - count(DISTINCT email) FROM clients;

-- no shipment weighs less than its goods: 0
SELECT count(*) FROM shipments WHERE gross_weight_kg <= (SELECT sum(net_weight_kg) FROM shipment_lines l WHERE
  l.shipment_id = shipments.shipment_id);
