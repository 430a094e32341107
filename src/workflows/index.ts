/** What the workflow bundle exports: any workflow type that has no export of its own is an agent's name. */
export { conversation as default } from './conversation.ts';
