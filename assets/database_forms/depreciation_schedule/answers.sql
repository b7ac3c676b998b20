-- Schedule of Fixed Assets and Depreciation: what is in use on December 31, what went in the year, and the allowance.

-- what the goal tells, and the header
-- about
SELECT c.legal_name AS legal_name, CAST(:year AS INTEGER) AS tax_year,
  c.legal_name || ' for the year ' || CAST(:year AS TEXT) || '.' AS subject
FROM clients c WHERE c.client_id = :client_id;

-- the taxpayer, the treasurer in office on December 31, and the preparer
SELECT c.tax_id AS tax_id, c.activity AS activity, c.accounting_method AS accounting_method,
  k.first_name || ' ' || k.last_name AS treasurer_name,
  p.first_name || ' ' || p.last_name AS preparer_name, p.ptin AS preparer_ptin
FROM clients c
JOIN contacts k ON k.client_id = c.client_id AND k.role = 'treasurer'
  AND k.from_date <= :year_end AND (k.to_date IS NULL OR k.to_date >= :year_end)
JOIN preparers p ON p.preparer_id = :preparer_id
WHERE c.client_id = :client_id;

-- Part I: assets in use on December 31 that were placed in service in the year or the year before, the earliest first
-- each
SELECT a.description AS asset, a.placed_in_service_on AS asset_on, a.cost AS asset_cost,
  CASE a.method WHEN 'straight_line' THEN 'SL' ELSE 'DD' END AS asset_method, a.life_years AS asset_life,
  d.amount AS asset_depreciation, d.book_value AS asset_book_value
FROM assets a JOIN depreciation d ON d.asset_id = a.asset_id AND d.tax_year = :year
WHERE a.client_id = :client_id AND (a.disposed_on IS NULL OR a.disposed_on > :year_end)
  AND CAST(a.placed_in_service_on AS TEXT) >= CAST(:prior_year AS TEXT) || '-01-01' AND a.placed_in_service_on <= :year_end
ORDER BY a.placed_in_service_on LIMIT 5;

-- Part II: classes of all assets in use on December 31
SELECT
  round(sum(CASE WHEN a.asset_class = 'furniture' THEN d.amount END), 2) AS furniture_depreciation,
  round(sum(CASE WHEN a.asset_class = 'furniture' THEN d.book_value END), 2) AS furniture_book_value,
  round(sum(CASE WHEN a.asset_class = 'machinery' THEN d.amount END), 2) AS machinery_depreciation,
  round(sum(CASE WHEN a.asset_class = 'machinery' THEN d.book_value END), 2) AS machinery_book_value,
  round(sum(CASE WHEN a.asset_class = 'computers' THEN d.amount END), 2) AS computers_depreciation,
  round(sum(CASE WHEN a.asset_class = 'computers' THEN d.book_value END), 2) AS computers_book_value,
  round(sum(CASE WHEN a.asset_class = 'vehicles' THEN d.amount END), 2) AS vehicles_depreciation,
  round(sum(CASE WHEN a.asset_class = 'vehicles' THEN d.book_value END), 2) AS vehicles_book_value,
  round(sum(CASE WHEN a.asset_class = 'improvements' THEN d.amount END), 2) AS improvements_depreciation,
  round(sum(CASE WHEN a.asset_class = 'improvements' THEN d.book_value END), 2) AS improvements_book_value,
  round(sum(d.amount), 2) AS classes_depreciation, round(sum(d.book_value), 2) AS classes_book_value,
  max(CASE WHEN a.asset_class = 'vehicles' AND a.method = 'double_declining' THEN 'yes' ELSE 'no' END) AS vehicle_doubled
FROM assets a JOIN depreciation d ON d.asset_id = a.asset_id AND d.tax_year = :year
WHERE a.client_id = :client_id AND a.placed_in_service_on <= :year_end
  AND (a.disposed_on IS NULL OR a.disposed_on > :year_end);

-- Part III: the asset disposed of in the year, depreciated up to the last year that it was
WITH gone AS (
  SELECT a.description, a.placed_in_service_on, a.disposed_on, a.cost, a.disposal_proceeds AS proceeds,
    coalesce((SELECT max(d.accumulated) FROM depreciation d
      WHERE d.asset_id = a.asset_id AND d.tax_year <= :year), 0) AS accumulated
  FROM assets a WHERE a.client_id = :client_id AND a.disposed_on BETWEEN :year_start AND :year_end
  ORDER BY a.disposed_on LIMIT 1
)
SELECT description AS disposed, disposed_on AS disposed_on, cost AS disposed_cost,
  accumulated AS disposed_accumulated, round(cost - accumulated, 2) AS disposed_book_value, proceeds AS disposed_proceeds,
  round(abs(proceeds - (cost - accumulated)), 2) AS gain_or_loss,
  CASE WHEN round(proceeds - (cost - accumulated), 2) < 0 THEN 'loss' ELSE 'gain' END AS result
FROM gone;

-- Part IV: cost through the year, and the allowance. The tenth of a millionth makes half a cent round up.
WITH costs AS (
  SELECT
    sum(CASE WHEN a.placed_in_service_on < :year_start AND (a.disposed_on IS NULL OR a.disposed_on >= :year_start)
      THEN a.cost END) AS opening,
    sum(CASE WHEN a.placed_in_service_on BETWEEN :year_start AND :year_end THEN a.cost END) AS additions,
    sum(CASE WHEN a.disposed_on BETWEEN :year_start AND :year_end THEN a.cost END) AS disposals,
    sum(CASE WHEN a.placed_in_service_on <= :year_end AND (a.disposed_on IS NULL OR a.disposed_on > :year_end)
      THEN a.cost END) AS closing
  FROM assets a WHERE a.client_id = :client_id
), amounts AS (
  SELECT sum(d.amount) AS depreciation,
    coalesce(sum(CASE WHEN a.method = 'double_declining' THEN d.amount END), 0) AS doubled,
    sum(CASE WHEN a.disposed_on IS NULL OR a.disposed_on > :year_end THEN d.accumulated END) AS accumulated
  FROM assets a JOIN depreciation d ON d.asset_id = a.asset_id AND d.tax_year = :year
  WHERE a.client_id = :client_id
), allowance AS (
  SELECT round(0.40 * doubled + 0.0000001, 2) AS add_back FROM amounts
)
SELECT round(opening, 2) AS opening_cost, round(additions, 2) AS additions_cost, round(disposals, 2) AS disposals_cost,
  round(closing, 2) AS closing_cost, round(depreciation, 2) AS depreciation, round(doubled, 2) AS doubled_depreciation,
  add_back AS add_back, round(depreciation - add_back, 2) AS allowed, round(accumulated, 2) AS accumulated,
  round(100 * accumulated / closing, 2) AS accumulated_percent
FROM costs, amounts, allowance;
