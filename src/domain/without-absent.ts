/**
 * Leaves absent fields out, for content that is compared or merged: rather than set to undefined, so that equal content
 * is equal.
 */
export function withoutAbsent<Shape extends object>(shape: Shape): Shape {
  const present: Partial<Shape> = {};
  for (const name in shape) if (shape[name] !== undefined) present[name] = shape[name];
  return present as Shape;
}
