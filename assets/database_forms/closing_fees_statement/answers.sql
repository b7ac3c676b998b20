-- Statement of Closing Fees: what was paid at the closing of a client's mortgage, to whom, and by whom.

-- about
SELECT c.legal_name AS client_name,
  l.loan_number AS loan_number,
  c.legal_name || ', loan number ' || l.loan_number || ' closed in the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM loans l
JOIN clients c ON c.client_id = l.client_id
WHERE l.loan_id = :loan_id;

-- The loan, its lender, and the property that secures it.
SELECT c.tax_id AS client_tax_id,
  l.opened_on AS closed_on,
  v.name AS lender,
  va.city || ', ' || va.state || ' ' || va.zip AS lender_place,
  l.original_amount AS amount_lent,
  l.term_months AS term_months,
  l.interest_rate AS interest_rate,
  l.rate_type AS rate_type,
  pa.street || coalesce(', ' || pa.unit, '') || ', ' || pa.city || ', ' || pa.state || ' ' || pa.zip AS property_line,
  p.parcel_number AS parcel_number,
  l.monthly_payment AS monthly_payment,
  l.first_payment_on AS first_payment_on,
  l.matures_on AS matures_on,
  l.officer_name AS officer
FROM loans l
JOIN clients c ON c.client_id = l.client_id
JOIN vendors v ON v.vendor_id = l.lender_id
JOIN addresses va ON va.address_id = v.address_id
JOIN properties p ON p.property_id = l.property_id
JOIN addresses pa ON pa.address_id = p.address_id
WHERE l.loan_id = :loan_id;

SELECT t.first_name || ' ' || t.last_name AS president
FROM contacts t
WHERE t.client_id = :client_id AND t.role = 'president' AND t.to_date IS NULL;

-- Fees by kind; one that was not charged is missing.
SELECT round(sum(CASE WHEN f.fee_type = 'A01' THEN f.amount END), 2) AS fee_a01,
  round(sum(CASE WHEN f.fee_type = 'A02' THEN f.amount END), 2) AS fee_a02,
  round(sum(CASE WHEN f.fee_type = 'A03' THEN f.amount END), 2) AS fee_a03,
  round(sum(CASE WHEN f.fee_type = 'B01' THEN f.amount END), 2) AS fee_b01,
  round(sum(CASE WHEN f.fee_type = 'B02' THEN f.amount END), 2) AS fee_b02,
  round(sum(CASE WHEN f.fee_type = 'B03' THEN f.amount END), 2) AS fee_b03,
  round(sum(CASE WHEN f.fee_type = 'B04' THEN f.amount END), 2) AS fee_b04,
  round(sum(CASE WHEN f.fee_type = 'C01' THEN f.amount END), 2) AS fee_c01,
  round(sum(CASE WHEN f.fee_type = 'C02' THEN f.amount END), 2) AS fee_c02,
  round(sum(CASE WHEN f.fee_type = 'C03' THEN f.amount END), 2) AS fee_c03,
  round(sum(CASE WHEN f.fee_type = 'C04' THEN f.amount END), 2) AS fee_c04,
  round(sum(CASE WHEN f.fee_type = 'C05' THEN f.amount END), 2) AS fee_c05,
  round(sum(CASE WHEN f.fee_type = 'E01' THEN f.amount END), 2) AS fee_e01,
  round(sum(CASE WHEN f.fee_type = 'E02' THEN f.amount END), 2) AS fee_e02,
  round(sum(CASE WHEN f.fee_type = 'F01' THEN f.amount END), 2) AS fee_f01,
  round(sum(CASE WHEN f.fee_type = 'F02' THEN f.amount END), 2) AS fee_f02,
  round(sum(CASE WHEN f.fee_type = 'F03' THEN f.amount END), 2) AS fee_f03,
  round(sum(CASE WHEN f.fee_type = 'H01' THEN f.amount END), 2) AS fee_h01,
  round(sum(CASE WHEN f.fee_type = 'H02' THEN f.amount END), 2) AS fee_h02,
  round(sum(CASE WHEN f.fee_type = 'H03' THEN f.amount END), 2) AS fee_h03
FROM loan_fees f
WHERE f.loan_id = :loan_id AND f.status = 'final';

-- Who was paid them; the lender is paid all of section A.
SELECT max(CASE WHEN f.fee_type = 'B01' THEN v.name END) AS payee_b01,
  max(CASE WHEN f.fee_type = 'B02' THEN v.name END) AS payee_b02,
  max(CASE WHEN f.fee_type = 'B03' THEN v.name END) AS payee_b03,
  max(CASE WHEN f.fee_type = 'B04' THEN v.name END) AS payee_b04,
  max(CASE WHEN f.fee_type = 'C01' THEN v.name END) AS payee_c01,
  max(CASE WHEN f.fee_type = 'C02' THEN v.name END) AS payee_c02,
  max(CASE WHEN f.fee_type = 'C03' THEN v.name END) AS payee_c03,
  max(CASE WHEN f.fee_type = 'C04' THEN v.name END) AS payee_c04,
  max(CASE WHEN f.fee_type = 'C05' THEN v.name END) AS payee_c05,
  max(CASE WHEN f.fee_type = 'E01' THEN v.name END) AS payee_e01,
  max(CASE WHEN f.fee_type = 'E02' THEN v.name END) AS payee_e02,
  max(CASE WHEN f.fee_type = 'F01' THEN v.name END) AS payee_f01,
  max(CASE WHEN f.fee_type = 'F02' THEN v.name END) AS payee_f02,
  max(CASE WHEN f.fee_type = 'F03' THEN v.name END) AS payee_f03,
  max(CASE WHEN f.fee_type = 'H01' THEN v.name END) AS payee_h01,
  max(CASE WHEN f.fee_type = 'H02' THEN v.name END) AS payee_h02,
  max(CASE WHEN f.fee_type = 'H03' THEN v.name END) AS payee_h03
FROM loan_fees f
JOIN vendors v ON v.vendor_id = f.provider_id
WHERE f.loan_id = :loan_id AND f.status = 'final';

-- Totals of the sections.
SELECT round(coalesce(sum(CASE WHEN t.section = 'A' THEN f.amount END), 0), 2) AS total_a,
  round(coalesce(sum(CASE WHEN t.section = 'B' THEN f.amount END), 0), 2) AS total_b,
  round(coalesce(sum(CASE WHEN t.section = 'C' THEN f.amount END), 0), 2) AS total_c,
  round(coalesce(sum(CASE WHEN t.section = 'E' THEN f.amount END), 0), 2) AS total_e,
  round(coalesce(sum(CASE WHEN t.section = 'F' THEN f.amount END), 0), 2) AS total_f,
  round(coalesce(sum(CASE WHEN t.section = 'H' THEN f.amount END), 0), 2) AS total_h,
  round(coalesce(sum(CASE WHEN t.section IN ('A', 'B', 'C') THEN f.amount END), 0), 2) AS loan_costs,
  round(coalesce(sum(CASE WHEN t.section IN ('E', 'F', 'H') THEN f.amount END), 0), 2) AS other_costs
FROM loan_fees f
JOIN fee_types t ON t.fee_type = f.fee_type
WHERE f.loan_id = :loan_id AND f.status = 'final';

-- Who bore them, and what is left of the loan; in cents, so that halves are rounded up.
WITH sums AS (
  SELECT CAST(round(sum(amount) * 100, 0) AS BIGINT) AS fees,
    CAST(round(sum(CASE WHEN paid_by = 'seller' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS seller,
    CAST(round(sum(CASE WHEN paid_by = 'lender' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS lender,
    CAST(round(sum(CASE WHEN paid_by = 'borrower' AND at_closing = 'no' THEN amount ELSE 0 END) * 100, 0) AS BIGINT) AS early
  FROM loan_fees
  WHERE loan_id = :loan_id AND status = 'final'
), lent AS (
  SELECT CAST(round(original_amount * 100, 0) AS BIGINT) AS cents,
    CAST(round(interest_rate * 1000, 0) AS BIGINT) AS thousandths
  FROM loans
  WHERE loan_id = :loan_id
)
SELECT round(s.fees / 100.0, 2) AS all_fees,
  round(s.seller / 100.0, 2) AS seller_paid,
  round(s.lender / 100.0, 2) AS lender_paid,
  round(s.early / 100.0, 2) AS borrower_before,
  round((s.fees - s.seller - s.lender - s.early) / 100.0, 2) AS cash_to_close,
  round((l.cents - (s.fees - s.seller - s.lender - s.early)) / 100.0, 2) AS net_proceeds,
  round((20000 * s.fees + l.cents) / (2 * l.cents) / 100.0, 2) AS fee_percent,
  round((l.cents * l.thousandths + 50000) / 100000 / 100.0, 2) AS year_interest
FROM sums s CROSS JOIN lent l;

-- Ticks.
SELECT max(CASE WHEN f.fee_type = 'B01' THEN f.at_closing END) AS appraisal_at,
  max(CASE WHEN f.fee_type = 'H01' THEN f.paid_by END) AS owners_title_by
FROM loan_fees f
WHERE f.loan_id = :loan_id AND f.status = 'final';
