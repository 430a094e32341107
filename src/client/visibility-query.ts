/** A condition of Temporal's list filter; the value is quoted. */
export function equals(attribute: string, value: string): string {
  return `${attribute} = '${quoted(value)}'`;
}

export function oneOf(attribute: string, values: readonly string[]): string {
  return `${attribute} IN (${values.map((value) => `'${quoted(value)}'`).join(', ')})`;
}

export function all(...conditions: readonly (string | undefined)[]): string {
  return conditions.filter((condition) => condition !== undefined).join(' AND ');
}

function quoted(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
