#!/bin/sh
# Creates the namespace of TEMPORAL_NAMESPACE with 30 days of retention and registers the search
# attributes; what is there already stays. The CLI reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu

temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d

# A new namespace is known to all of the server only after some seconds.
tries=0
until present=$(temporal operator search-attribute list 2>&1); do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "$present" >&2
    exit 1
  fi
  sleep 1
done
register() {
  case $present in
  *"$1"*) ;;
  *) temporal operator search-attribute create --name "$1" --type "$2" ;;
  esac
}
register PerdureStatus Keyword
register PerdurePending Int
register PerdureTenant Keyword
register PerdureTags KeywordList
