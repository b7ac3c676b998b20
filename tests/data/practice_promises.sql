-- What the brief for form authors promises of every case: a name and how many there may be, then the query that counts.

-- active business: 1
SELECT count(*) FROM clients WHERE client_id = :client_id AND client_type = 'business' AND status = 'active' AND
  trade_name NOT NULL AND state_file_number NOT NULL AND activity_code NOT NULL AND activity NOT NULL AND
  mailing_address_id != address_id;

-- namesake: 1 to 3
SELECT count(*) FROM clients a, clients b WHERE a.client_id = :client_id AND b.client_id != :client_id AND
  substr(a.legal_name, 1, 6) = substr(b.legal_name, 1, 6);

-- preparer: 1
SELECT count(*) FROM clients WHERE client_id = :client_id AND preparer_id = :preparer_id;

-- current president: 1
SELECT count(*) FROM contacts WHERE client_id = :client_id AND role = 'president' AND to_date IS NULL AND
  from_date < :year_start;

-- current secretary: 1
SELECT count(*) FROM contacts WHERE client_id = :client_id AND role = 'secretary' AND to_date IS NULL AND
  from_date < :year_start;

-- current treasurer: 1
SELECT count(*) FROM contacts WHERE client_id = :client_id AND role = 'treasurer' AND to_date IS NULL AND
  from_date < :year_start;

-- current registered_agent: 1
SELECT count(*) FROM contacts WHERE client_id = :client_id AND role = 'registered_agent' AND to_date IS NULL AND
  from_date < :year_start;

-- current bookkeeper: 1
SELECT count(*) FROM contacts WHERE client_id = :client_id AND role = 'bookkeeper' AND to_date IS NULL AND
  from_date < :year_start;

-- former contacts: 2 to 9
SELECT count(*) FROM contacts WHERE client_id = :client_id AND to_date < :year_start;

-- holders: 3 to 5
SELECT count(DISTINCT holder_name) FROM owners WHERE client_id = :client_id AND share_class = 'common' AND
  acquired_on < :year_start AND disposed_on IS NULL;

-- holders of one total: 0
SELECT count(*) - count(DISTINCT n) FROM (SELECT sum(shares) AS n FROM owners WHERE client_id = :client_id AND
  share_class = 'common' AND disposed_on IS NULL GROUP BY holder_name);

-- holder of two rows: 1
SELECT count(*) FROM (SELECT 1 FROM owners WHERE client_id = :client_id GROUP BY holder_name HAVING count(*) >
  1);

-- preferred: 1
SELECT count(*) FROM owners WHERE client_id = :client_id AND share_class = 'preferred';

-- former holders: 1 to 9
SELECT count(*) FROM owners WHERE client_id = :client_id AND disposed_on < :year_start;

-- owner: 1
SELECT count(*) FROM owners WHERE client_id = :client_id AND owner_id = :owner_id AND holder_type = 'individual'
  AND share_class = 'common' AND acquired_on < :year_start AND disposed_on IS NULL;

-- operating account: 1
SELECT count(*) FROM bank_accounts WHERE client_id = :client_id AND account_id = :account_id AND account_type =
  'operating' AND status = 'open';

-- operating accounts: 1
SELECT count(*) FROM bank_accounts WHERE client_id = :client_id AND account_type = 'operating';

-- other accounts: 2
SELECT count(DISTINCT status) FROM bank_accounts WHERE client_id = :client_id AND account_id != :account_id;

-- codes of income and expense: 26
SELECT count(DISTINCT item_code) FROM account_transactions JOIN item_codes USING (item_code) WHERE account_id =
  :account_id AND status = 'posted' AND posted_on BETWEEN :year_start AND :year_end AND kind IN ('income',
  'expense');

-- void and duplicate: 3 to 99
SELECT count(*) FROM account_transactions WHERE account_id = :account_id AND status IN ('void', 'duplicate') AND
  posted_on BETWEEN :year_start AND :year_end;

-- checks under way, month_end: 2 to 30
SELECT count(*) FROM account_transactions WHERE account_id = :account_id AND status = 'posted' AND method =
  'check' AND posted_on <= :month_end AND (cleared_on IS NULL OR cleared_on > :month_end);

-- checks under way, year_end: 2 to 30
SELECT count(*) FROM account_transactions WHERE account_id = :account_id AND status = 'posted' AND method =
  'check' AND posted_on <= :year_end AND (cleared_on IS NULL OR cleared_on > :year_end);

-- deposits under way, month_end: 1 to 9
SELECT count(*) FROM account_transactions WHERE account_id = :account_id AND status = 'posted' AND amount > 0
  AND posted_on <= :month_end AND (cleared_on IS NULL OR cleared_on > :month_end);

-- deposits under way, year_end: 1 to 9
SELECT count(*) FROM account_transactions WHERE account_id = :account_id AND status = 'posted' AND amount > 0
  AND posted_on <= :year_end AND (cleared_on IS NULL OR cleared_on > :year_end);

-- days of much cash: 1
SELECT count(*) FROM (SELECT 1 FROM account_transactions WHERE account_id = :account_id AND status = 'posted'
  AND posted_on BETWEEN :year_start AND :year_end AND method = 'cash' GROUP BY posted_on HAVING sum(amount) >
  10000 AND count(*) = 2);

-- reportable contractors: 3 to 9
SELECT count(DISTINCT vendor_id) FROM account_transactions t JOIN vendors v USING (vendor_id) WHERE account_id =
  :account_id AND status = 'posted' AND item_code = '5040' AND posted_on BETWEEN :year_start AND :year_end AND
  reportable = 'yes';

-- other contractors: 1 to 9
SELECT count(DISTINCT vendor_id) FROM account_transactions t JOIN vendors v USING (vendor_id) WHERE account_id =
  :account_id AND status = 'posted' AND item_code = '5040' AND posted_on BETWEEN :year_start AND :year_end AND
  reportable = 'no';

-- vendor: 3 to 9
SELECT count(*) FROM account_transactions t JOIN vendors v USING (vendor_id) WHERE account_id = :account_id AND
  status = 'posted' AND vendor_id = :vendor_id AND item_code = '5040' AND posted_on BETWEEN :year_start AND
  :year_end AND reportable = 'yes';

-- statements: 13
SELECT count(*) FROM account_statements WHERE account_id = :account_id AND period_end BETWEEN :prior_year_end
  AND :year_end;

-- rented: 3
SELECT count(DISTINCT acquired_on) FROM properties WHERE client_id = :client_id AND status = 'rented' AND
  acquired_on < :year_start AND sold_on IS NULL;

-- sold: 1
SELECT count(*) FROM properties WHERE client_id = :client_id AND status = 'sold' AND sold_on < :year_start;

-- vacant: 2
SELECT count(*) FROM properties WHERE client_id = :client_id AND status = 'vacant';

-- property: 1
SELECT count(*) FROM properties p JOIN loans l USING (property_id) WHERE p.client_id = :client_id AND p.status =
  'vacant' AND property_id = :property_id AND loan_id = :loan_id;

-- use of properties: 3
SELECT count(*) FROM properties JOIN property_years USING (property_id) WHERE client_id = :client_id AND status
  = 'rented' AND tax_year = :year;

-- rent in each month: 36
SELECT count(DISTINCT property_id || substr(item_date, 1, 7)) FROM properties p JOIN property_items i USING
  (property_id) WHERE client_id = :client_id AND p.status = 'rented' AND i.status = 'posted' AND item_code =
  'R10' AND item_date BETWEEN :year_start AND :year_end;

-- usual rental codes: 12
SELECT count(DISTINCT property_id || item_code) FROM properties p JOIN property_items i USING (property_id)
  WHERE client_id = :client_id AND p.status = 'rented' AND i.status = 'posted' AND item_code IN ('X09', 'X14',
  'X16', 'X17') AND item_date BETWEEN :year_start AND :year_end;

-- loans paid all the year: 4 to 5
SELECT count(DISTINCT opened_on) FROM loans l WHERE client_id = :client_id AND status = 'active' AND opened_on <
  :year_start AND 12 = (SELECT count(*) FROM loan_payments p WHERE p.loan_id = l.loan_id AND p.status = 'paid'
  AND paid_on BETWEEN :year_start AND :year_end);

-- kinds of loans: 4 to 5
SELECT count(DISTINCT loan_type) FROM loans WHERE client_id = :client_id AND status = 'active' AND opened_on <
  :year_start;

-- loan: 1
SELECT count(*) FROM loans WHERE client_id = :client_id AND loan_id = :loan_id AND loan_type = 'mortgage' AND
  status = 'active' AND opened_on BETWEEN :year_start AND :year_end;

-- paid off: 1
SELECT count(*) FROM loans WHERE client_id = :client_id AND status = 'paid_off' AND matures_on < :year_start;

-- declined: 1
SELECT count(*) FROM loans WHERE client_id = :client_id AND status = 'declined';

-- loans without collateral: 0
SELECT count(*) FROM loans l WHERE client_id = :client_id AND status = 'active' AND (SELECT count(*) FROM
  collateral c WHERE c.loan_id = l.loan_id AND released_on IS NULL) NOT IN (1, 2);

-- fees: 15 to 20
SELECT count(*) FROM loan_fees WHERE loan_id = :loan_id AND status = 'final';

-- usual fees: 10
SELECT count(*) FROM loan_fees WHERE loan_id = :loan_id AND status = 'final' AND fee_type IN ('A01', 'A02',
  'B01', 'B02', 'C03', 'C04', 'C05', 'E01', 'F01', 'H01');

-- fees paid twice: 0
SELECT count(*) - count(DISTINCT fee_type) FROM loan_fees WHERE loan_id = :loan_id AND status = 'final';

-- estimates: 10 to 20
SELECT count(*) FROM loan_fees e JOIN loan_fees f USING (loan_id, fee_type) WHERE loan_id = :loan_id AND
  e.status = 'estimate' AND f.status = 'final' AND e.amount != f.amount;

-- void fees: 1
SELECT count(*) FROM loan_fees WHERE loan_id = :loan_id AND status = 'void';

-- origination not to the lender: 0
SELECT count(*) FROM loan_fees f JOIN loans l USING (loan_id) WHERE loan_id = :loan_id AND f.status = 'final'
  AND fee_type LIKE 'A%' AND provider_id != lender_id;

-- providers of two fees: 0
SELECT count(*) - count(DISTINCT provider_id) FROM loan_fees f JOIN loans l USING (loan_id) WHERE loan_id =
  :loan_id AND f.status = 'final' AND provider_id != lender_id;

-- customers: 8 to 20
SELECT count(*) FROM customers WHERE client_id = :client_id;

-- exempt customers: 1 to 5
SELECT count(*) FROM customers WHERE client_id = :client_id AND tax_exempt = 'yes';

-- customer: 3 to 40
SELECT count(*) FROM invoices i JOIN customers c USING (customer_id) WHERE i.client_id = :client_id AND
  c.client_id = :client_id AND customer_id = :customer_id AND tax_exempt = 'no' AND issued_on BETWEEN
  :year_start AND :year_end AND status IN ('paid', 'open');

-- sales: 30 to 60
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on BETWEEN
  :year_start AND :year_end;

-- void invoices: 2 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status = 'void' AND issued_on BETWEEN :year_start
  AND :year_end;

-- drafts: 1 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status = 'draft' AND issued_on BETWEEN
  :year_start AND :year_end;

-- taxed sales of the quarter: 1 to 30
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND sales_tax > 0 AND
  issued_on BETWEEN :quarter_start AND :quarter_end;

-- exempt sales of the quarter: 1 to 30
SELECT count(*) FROM invoices i JOIN customers c USING (customer_id) WHERE i.client_id = :client_id AND status
  IN ('paid', 'open') AND tax_exempt = 'yes' AND issued_on BETWEEN :quarter_start AND :quarter_end;

-- not yet due: 1 to 30
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on <=
  :year_end AND (paid_on IS NULL OR paid_on > :year_end) AND due_on >= :year_end;

-- overdue to 30: 1 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on <=
  :year_end AND (paid_on IS NULL OR paid_on > :year_end) AND due_on < :year_end AND due_on >= :days_30_before;

-- overdue to 60: 1 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on <=
  :year_end AND (paid_on IS NULL OR paid_on > :year_end) AND due_on < :days_30_before AND due_on >=
  :days_60_before;

-- overdue to 90: 1 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on <=
  :year_end AND (paid_on IS NULL OR paid_on > :year_end) AND due_on < :days_60_before AND due_on >=
  :days_90_before;

-- overdue more: 1 to 9
SELECT count(*) FROM invoices WHERE client_id = :client_id AND status IN ('paid', 'open') AND issued_on <=
  :year_end AND (paid_on IS NULL OR paid_on > :year_end) AND due_on < :days_90_before;

-- customers of one total: 0
SELECT count(*) - count(DISTINCT n) FROM (SELECT round(sum(total), 2) AS n FROM invoices WHERE client_id =
  :client_id AND status IN ('paid', 'open') AND issued_on BETWEEN :year_start AND :year_end GROUP BY
  customer_id);

-- employed all the year: 5 to 9
SELECT count(*) FROM employees WHERE client_id = :client_id AND hired_on < :year_start AND (terminated_on IS
  NULL OR terminated_on > :year_end);

-- hired: 1
SELECT count(*) FROM employees WHERE client_id = :client_id AND hired_on BETWEEN :year_start AND :year_end;

-- left: 1
SELECT count(*) FROM employees WHERE client_id = :client_id AND terminated_on BETWEEN :year_start AND :year_end;

-- left before: 1
SELECT count(*) FROM employees WHERE client_id = :client_id AND terminated_on < :year_start;

-- hired on one day: 0
SELECT count(*) - count(DISTINCT hired_on) FROM employees WHERE client_id = :client_id;

-- employee: 12
SELECT count(*) FROM pay_slips s JOIN payroll_runs r USING (payroll_run_id) WHERE client_id = :client_id AND
  employee_id = :employee_id AND status = 'posted' AND pay_date BETWEEN :year_start AND :year_end;

-- months of payroll: 12
SELECT count(DISTINCT substr(pay_date, 1, 7)) FROM payroll_runs WHERE client_id = :client_id AND status =
  'posted' AND pay_date BETWEEN :year_start AND :year_end;

-- posted payrolls: 12
SELECT count(*) FROM payroll_runs WHERE client_id = :client_id AND status = 'posted' AND pay_date BETWEEN
  :year_start AND :year_end;

-- void payrolls: 1
SELECT count(*) FROM payroll_runs WHERE client_id = :client_id AND status = 'void' AND pay_date BETWEEN
  :year_start AND :year_end;

-- payroll_deposit paid: 12
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND tax_type =
  'payroll_deposit' AND status = 'paid';

-- income_estimate paid: 4
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND tax_type =
  'income_estimate' AND status = 'paid';

-- sales_tax paid: 4
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND tax_type = 'sales_tax'
  AND status = 'paid';

-- unemployment paid: 4
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND tax_type =
  'unemployment' AND status = 'paid';

-- deposits for the quarter: 3
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND quarter = :quarter AND
  tax_type = 'payroll_deposit' AND status = 'paid';

-- rejected payments: 1
SELECT count(*) FROM tax_payments WHERE client_id = :client_id AND tax_year = :year AND status = 'rejected';

-- assets all the year: 6 to 9
SELECT count(*) FROM assets a JOIN depreciation d USING (asset_id) WHERE client_id = :client_id AND
  placed_in_service_on < :year_start AND disposed_on IS NULL AND tax_year = :year;

-- assets without depreciation: 0
SELECT count(*) FROM assets a WHERE client_id = :client_id AND placed_in_service_on <= :year_end AND disposed_on
  IS NULL AND NOT EXISTS (SELECT 1 FROM depreciation d WHERE d.asset_id = a.asset_id AND tax_year = :year);

-- new assets: 2 to 3
SELECT count(*) FROM assets WHERE client_id = :client_id AND placed_in_service_on BETWEEN :year_start AND
  :year_end;

-- asset: 1
SELECT count(*) FROM assets JOIN depreciation USING (asset_id) WHERE client_id = :client_id AND asset_id =
  :asset_id AND placed_in_service_on BETWEEN :year_start AND :year_end AND tax_year = :year;

-- disposed: 1
SELECT count(*) FROM assets WHERE client_id = :client_id AND disposed_on BETWEEN :year_start AND :year_end;

-- disposed before: 1
SELECT count(*) FROM assets WHERE client_id = :client_id AND disposed_on < :year_start;

-- classes of assets: 5
SELECT count(DISTINCT asset_class) FROM assets WHERE client_id = :client_id AND placed_in_service_on <
  :year_start AND disposed_on IS NULL;

-- placed on one day: 0
SELECT count(*) - count(DISTINCT placed_in_service_on) FROM assets WHERE client_id = :client_id;

-- counted, prior_year_end: 8 to 10
SELECT count(*) FROM inventory_items JOIN inventory_counts USING (inventory_item_id) WHERE client_id =
  :client_id AND counted_on = :prior_year_end AND status = 'final';

-- counted, year_end: 8 to 10
SELECT count(*) FROM inventory_items JOIN inventory_counts USING (inventory_item_id) WHERE client_id =
  :client_id AND counted_on = :year_end AND status = 'final';

-- counted again: 1
SELECT count(*) FROM inventory_items JOIN inventory_counts USING (inventory_item_id) WHERE client_id =
  :client_id AND counted_on = :year_end AND status = 'superseded';

-- imports: 4 to 9
SELECT count(DISTINCT arrived_on) FROM shipments WHERE client_id = :client_id AND status = 'cleared' AND
  direction = 'import' AND arrived_on BETWEEN :year_start AND :year_end;

-- exports: 1 to 3
SELECT count(*) FROM shipments WHERE client_id = :client_id AND status = 'cleared' AND direction = 'export' AND
  arrived_on BETWEEN :year_start AND :year_end;

-- arrived on one day: 0
SELECT count(*) - count(DISTINCT arrived_on) FROM shipments WHERE client_id = :client_id AND status = 'cleared'
  AND arrived_on BETWEEN :year_start AND :year_end;

-- other shipments: 3
SELECT count(DISTINCT status) FROM shipments WHERE client_id = :client_id;

-- lines of the shipment: 4 to 6
SELECT count(*) FROM shipments JOIN shipment_lines USING (shipment_id) WHERE client_id = :client_id AND
  shipment_id = :shipment_id AND status = 'cleared' AND direction = 'import' AND arrived_on BETWEEN :year_start
  AND :year_end;

-- rates: 12
SELECT count(DISTINCT rate_on) FROM exchange_rates WHERE currency = 'EUR' AND rate_on BETWEEN :year_start AND
  :year_end;

-- filings: 10
SELECT count(DISTINCT filing_type || coalesce(quarter, 0)) FROM filings WHERE client_id = :client_id AND
  tax_year = :year AND status = 'accepted';

-- accepted filings: 10
SELECT count(*) FROM filings WHERE client_id = :client_id AND tax_year = :year AND status = 'accepted';

-- rejected filings: 1
SELECT count(*) FROM filings WHERE client_id = :client_id AND tax_year = :year AND status = 'rejected';
