-- Import entry summary: one import of the client that was cleared in the year.

-- Which entry.
-- about
SELECT c.legal_name || ' for the year ' || CAST(:year AS TEXT) || ', import entry ' || s.entry_number || '.' AS subject,
  c.legal_name AS importer, s.entry_number AS entry_number
FROM shipments s JOIN clients c ON c.client_id = s.client_id
WHERE s.shipment_id = :shipment_id;

-- Boxes 2 to 8, 16 and 19 to 23, lines 28 and 29: the voyage, its terms and costs, and the month's rate.
SELECT s.port_of_entry AS port_of_entry, s.arrived_on AS arrived_on, s.vessel AS vessel, s.carrier AS carrier,
  s.bill_of_lading AS bill_of_lading, s.port_of_loading AS port_of_loading, s.shipped_on AS shipped_on,
  s.currency AS currency, s.incoterm AS incoterm, s.packages AS packages, s.gross_weight_kg AS gross_weight,
  s.freight AS freight, s.insurance AS insurance,
  (SELECT min(l.origin_country) FROM shipment_lines l WHERE l.shipment_id = s.shipment_id) AS origin_country,
  (SELECT r.usd_per_unit FROM exchange_rates r
    WHERE r.currency = s.currency AND r.rate_on <= s.arrived_on ORDER BY r.rate_on DESC LIMIT 1) AS rate
FROM shipments s WHERE s.shipment_id = :shipment_id;

-- Boxes 10 to 13: the importer.
SELECT c.trade_name AS importer_trade_name, c.tax_id AS importer_tax_id, c.phone AS importer_phone,
  a.street || coalesce(', ' || a.unit, '') || ', ' || a.city || ', ' || a.state || ' ' || a.zip AS importer_address
FROM clients c JOIN addresses a ON a.address_id = c.address_id
WHERE c.client_id = :client_id;

-- Boxes 14 and 15: who sold the goods.
SELECT v.name AS seller, a.street || coalesce(', ' || a.unit, '') || ', ' || a.city AS seller_address
FROM shipments s JOIN vendors v ON v.vendor_id = s.vendor_id JOIN addresses a ON a.address_id = v.address_id
WHERE s.shipment_id = :shipment_id;

-- Boxes 17 and 18: the customs broker.
SELECT v.name AS broker, v.tax_id AS broker_tax_id
FROM shipments s JOIN vendors v ON v.vendor_id = s.broker_id
WHERE s.shipment_id = :shipment_id;

-- The goods, by tariff number.
-- each
SELECT l.tariff_code AS tariff, l.description AS goods, l.quantity AS quantity, l.value AS line_value,
  l.value_usd AS line_usd, l.duty AS line_duty
FROM shipment_lines l WHERE l.shipment_id = :shipment_id
ORDER BY l.tariff_code, l.line_number LIMIT 6;

-- Box 24 and the totals. Transport is added where the seller's price leaves it out; the fee has a floor and a ceiling.
WITH totals AS (
  SELECT s.incoterm AS terms, s.freight + s.insurance AS transport, sum(l.net_weight_kg) AS kilograms,
    sum(l.value) AS foreign_value, sum(l.value_usd) AS usd, sum(l.duty) AS duty,
    sum(CASE WHEN l.duty_rate = 0 THEN 1 ELSE 0 END) AS free_lines
  FROM shipments s JOIN shipment_lines l ON l.shipment_id = s.shipment_id
  WHERE s.shipment_id = :shipment_id
  GROUP BY s.incoterm, s.freight, s.insurance
), reckoned AS (
  SELECT t.kilograms, t.foreign_value, t.usd, t.duty, t.free_lines,
    CASE WHEN t.terms IN ('FOB', 'EXW') THEN t.transport ELSE 0.00 END AS added,
    CASE WHEN t.usd * 0.0032 < 64 THEN 64.00 WHEN t.usd * 0.0032 > 96 THEN 96.00
      ELSE round(t.usd * 0.0032, 2) END AS fee
  FROM totals t
)
SELECT kilograms AS net_weight, round(foreign_value, 2) AS total_value, round(usd, 2) AS total_usd,
  round(duty, 2) AS total_duty, round(added, 2) AS transport_added, round(usd + added, 2) AS customs_value,
  round(fee, 2) AS processing_fee, round(duty + fee, 2) AS total_due, round(100 * duty / usd, 2) AS average_duty,
  CASE WHEN free_lines > 0 THEN 'yes' ELSE 'no' END AS has_free_goods
FROM reckoned;

-- Who signs.
SELECT first_name AS president_first, last_name AS president_last
FROM contacts WHERE client_id = :client_id AND role = 'president' AND to_date IS NULL;
