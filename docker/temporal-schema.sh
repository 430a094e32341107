#!/bin/sh
# Creates the server's databases where they are not there, and updates their schemas.
# temporal-sql-tool reads SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

schemas=/etc/temporal/schema/postgresql/v12

prepare() {
  database=$1
  schema=$2
  temporal-sql-tool --plugin postgres12 --db "$database" create
  temporal-sql-tool --plugin postgres12 --db "$database" setup-schema -v 0.0
  temporal-sql-tool --plugin postgres12 --db "$database" update-schema -d "$schemas/$schema/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
