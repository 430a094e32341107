import type { ErrorObject } from 'ajv/dist/2020.js';
import { isJsonObject } from '../../core/json.ts';
import { previewOf } from '../../core/stored.ts';
import { escapeSegment } from '../json-pointer.ts';
import { nearestName } from '../nearest-name.ts';

/** More problems than these teach a model nothing, and one bad list can have thousands. */
const MAX_PROBLEMS = 25;
/** A schema's pattern can be of any length. */
const MAX_LINE = 300;

/** One line per problem, with the JSON pointer of the place and what was found there. */
export function problemsInWords(errors: readonly ErrorObject[]): string[] {
  const lines = [...new Set(errors.map((error) => previewOf(inWords(error), MAX_LINE)))];
  return lines.length <= MAX_PROBLEMS
    ? lines
    : [...lines.slice(0, MAX_PROBLEMS), `… and ${lines.length - MAX_PROBLEMS} more problems`];
}

function inWords(error: ErrorObject): string {
  const { keyword, instancePath } = error;
  const params: Record<string, unknown> = error.params;
  const at = (name: unknown): string => `${instancePath}/${escapeSegment(String(name))}`;
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return `${at(params.missingProperty)}: is required${
        keyword === 'required' ? '' : ` when ${JSON.stringify(params.property)} is given`
      }`;
    case 'additionalProperties':
      return `${at(params.additionalProperty)}: ${notKnown(error, params.additionalProperty)}`;
    case 'unevaluatedProperties':
      return `${at(params.unevaluatedProperty)}: ${notKnown(error, params.unevaluatedProperty)}`;
    case 'false schema':
      return `${here(error)}: is not allowed, whatever its value`;
    case 'enum':
      return `${here(error)}: must be one of ${values(params.allowedValues)}${got(error)}`;
    case 'const':
      return `${here(error)}: must be ${shown(params.allowedValue)}${got(error)}`;
    case 'type':
      return `${here(error)}: must be ${kinds(params.type)}${got(error)}`;
    default:
      return `${here(error)}: ${error.message ?? `does not fit "${keyword}"`}${got(error)}`;
  }
}

function here({ instancePath }: ErrorObject): string {
  return instancePath === '' ? '(root)' : instancePath;
}

function notKnown(error: ErrorObject, name: unknown): string {
  const properties: unknown = error.parentSchema?.properties;
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const nearest = nearestName(String(name), known);
  if (nearest !== undefined) return `is not known here; did you mean "${nearest}"?`;
  return `is not known here; known: ${known.length === 0 ? 'nothing' : values(known)}`;
}

function values(list: unknown): string {
  if (!Array.isArray(list)) return shown(list);
  const some = list.slice(0, 20).map(shown).join(', ');
  return list.length > 20 ? `${some}, …` : some;
}

function kinds(type: unknown): string {
  return Array.isArray(type) ? type.join(' or ') : String(type);
}

function got(error: ErrorObject): string {
  return `, got ${shown(error.data)}`;
}

/** Large values are named, not shown: a message is to be read. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0 ? '{}' : 'an object';
  }
  if (typeof value === 'string' && value.length > 80) return JSON.stringify(previewOf(value, 80));
  return JSON.stringify(value) ?? String(value);
}
