import { parseDocument, type Answer, type Invocation } from './commands';

/** The first difference between two answers. */
export interface AnswerDifference {
  /** `exit code`, `stderr`, a path in the JSON of stdout, or a written file and a line in it. */
  readonly where: string;
  readonly expected: string;
  readonly actual: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const MAX_SHOWN = 400;

/**
 * Null if the answers are the same. The text itself is compared, so the order of fields counts, too: scripts may rely
 * on it.
 *
 * @param isKnownId whether a uuid is in the files that the command read
 */
export function compareAnswers(
  invocation: Invocation,
  expected: Answer,
  actual: Answer,
  isKnownId: (uuid: string) => boolean,
): AnswerDifference | null {
  const comparable = (answer: Answer): Answer => {
    if (invocation.command === 'fork') return withoutFreshIds(answer, isKnownId);
    return invocation.command === 'scan' ? withoutClient(answer) : answer;
  };
  const [left, right] = [comparable(expected), comparable(actual)];
  if (left.exitCode !== right.exitCode) {
    return { where: 'exit code', expected: String(left.exitCode), actual: String(right.exitCode) };
  }
  if (left.stdout !== right.stdout) return documentDifference(left.stdout, right.stdout);
  if (left.stderr !== right.stderr) return { where: 'stderr', expected: left.stderr, actual: right.stderr };
  const paths = [left, right].map(({ created }) => created.map(({ path }) => path).join('\n'));
  if (paths[0] !== paths[1])
    return { where: 'files that were written', expected: paths[0] ?? '', actual: paths[1] ?? '' };
  for (const [at, { path, content }] of left.created.entries()) {
    const other = right.created[at]?.content ?? '';
    if (content !== other) return textDifference(path, content, other);
  }
  return null;
}

/** Commits from before verdicts named their client leave these fields out. */
const CLIENT_FIELDS = /,"provider":"claude"|,"client":"[\d.]+","isExact":(?:true|false)/g;

function withoutClient(answer: Answer): Answer {
  return { ...answer, stdout: answer.stdout.replace(CLIENT_FIELDS, '') };
}

/**
 * A fork generates the id of the new session, and a uuid for each row without one. These are numbered in the order of
 * their occurrence, starting with stdout, where the session's id is, so that paths sort alike. Nothing else is random,
 * and the clock stands still, so times are compared as they are.
 */
function withoutFreshIds(answer: Answer, isKnownId: (uuid: string) => boolean): Answer {
  const fresh = new Map<string, string>();
  const replaced = (text: string): string =>
    text.replace(UUID, (uuid) => {
      if (isKnownId(uuid)) return uuid;
      const name = fresh.get(uuid) ?? `<new id ${fresh.size + 1}>`;
      fresh.set(uuid, name);
      return name;
    });
  const [stdout, stderr] = [replaced(answer.stdout), replaced(answer.stderr)];
  const created = answer.created
    .map(({ path, content }) => ({ path: replaced(path), content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, content }) => ({ path, content: replaced(content) }));
  return { ...answer, stdout, stderr, created };
}

function documentDifference(expected: string, actual: string): AnswerDifference {
  const [left, right] = [parseDocument(expected), parseDocument(actual)];
  if (left === null || right === null) return textDifference('stdout', expected, actual);
  return valueDifference('$', left, right) ?? textDifference('stdout, in the order or form', expected, actual);
}

/** The first value, in the order of the first document, that differs in the second. */
function valueDifference(path: string, left: unknown, right: unknown): AnswerDifference | null {
  if (Object.is(left, right)) return null;
  if (isObject(left) && isObject(right) && Array.isArray(left) === Array.isArray(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const inner = Array.isArray(left) ? `${path}[${key}]` : `${path}.${key}`;
      const difference = valueDifference(inner, left[key], right[key]);
      if (difference !== null) return difference;
    }
    return null;
  }
  return { where: path, expected: shown(JSON.stringify(left)), actual: shown(JSON.stringify(right)) };
}

function textDifference(what: string, expected: string, actual: string): AnswerDifference {
  const [left, right] = [expected.split('\n'), actual.split('\n')];
  const at = left.findIndex((line, place) => line !== right[place]);
  const line = at < 0 ? left.length : at;
  const [one, other] = [left[line], right[line]];
  // Long lines differ in a small part.
  let from = 0;
  while (from < (one?.length ?? 0) && one?.[from] === other?.[from]) from++;
  const start = Math.max(0, from - 40);
  return {
    where: `${what}, line ${line + 1}, character ${from + 1}`,
    expected: shown(one?.slice(start)),
    actual: shown(other?.slice(start)),
  };
}

function shown(text: string | undefined): string {
  if (text === undefined) return '(nothing)';
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The uuids in the text, anywhere. */
export function uuidsIn(text: string): Set<string> {
  return new Set(text.match(UUID));
}
