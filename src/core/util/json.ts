export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringField(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' ? value : null;
}

export function objectField(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isJsonObject(value) ? value : null;
}

/** The text parsed as one JSON object, or null if it is anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Values are walked as deep as this. JSON.parse reads any depth, but the stack is not enough for walking it or for JSON.stringify, and
 * neither a client nor a person nests so deeply.
 */
export const MAX_LEVELS = 1000;

/** The value with null in the place of the lists and objects that are nested more deeply than `levels`. */
export function withoutDeepValues(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  // Loops, because a callback would take as much of the stack once more.
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const each of value) list.push(withoutDeepValues(each, levels - 1));
    return list;
  }
  const entries: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) entries.push([key, withoutDeepValues(each, levels - 1)]);
  return Object.fromEntries(entries);
}
