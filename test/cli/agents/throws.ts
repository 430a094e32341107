import { desk } from './desk.ts';

const settings: { readonly limits?: { readonly steps: number } } = JSON.parse('{}');

export const steps = settings.limits!.steps;
export { desk };
