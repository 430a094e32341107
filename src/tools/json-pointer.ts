/** RFC 6901, for people and models: the root, whose pointer is empty, reads `(root)`. */
export function pointerTo(path: readonly (string | number)[]): string {
  return path.length === 0
    ? '(root)'
    : path.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

export function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
