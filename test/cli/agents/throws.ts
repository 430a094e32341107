import { desk } from './desk.ts';

const settings: { readonly limits?: { readonly steps: number } } = JSON.parse('{}');

export const steps = (settings as { readonly limits: { readonly steps: number } }).limits.steps;
export { desk };
