/** Where two values of plain data first differ, and how; null if they are equal. */
export function firstDifference(expected: unknown, actual: unknown, path = ''): string | null {
  if (Object.is(expected, actual)) return null;
  if (!isHolder(expected) || !isHolder(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return `${path}: ${show(expected)}, not ${show(actual)}`;
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length) {
    return `${path}.length: ${expected.length}, not ${actual.length}; ${show(expected)}, not ${show(actual)}`;
  }
  for (const key of Object.keys(expected)) {
    const found = firstDifference(
      expected[key],
      actual[key],
      Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`,
    );
    if (found !== null) return found;
  }
  const added = Object.keys(actual).find((key) => !(key in expected));
  return added === undefined ? null : `${path}.${added}: nothing, not ${show(actual[added])}`;
}

const MAX_SHOWN_LENGTH = 300;

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)} …` : text;
}
