import { quote } from './jsonTree';
import { oneOf, type Scene } from './scene';

const START_MS = Date.UTC(2026, 5, 1, 10);
const HOURS_MS = 3_600_000;
/** Around these days, calendar errors are likely. */
const TURNING_DAYS = [
  '1970-01-01',
  '1972-02-29',
  '1999-12-31',
  '2000-02-29',
  '2000-03-01',
  '2023-02-28',
  '2024-02-29',
  '2024-12-31',
  '2038-01-19',
  '2100-03-01',
  '2400-02-29',
  '9999-12-31',
] as const;

export function timeToken({ random, odds }: Scene): string {
  const day = random.chance(0.2) ? Date.parse(random.pick(TURNING_DAYS)) : START_MS;
  const ms = day + random.below(10 * HOURS_MS);
  const iso = new Date(ms).toISOString();
  return random.chance(odds.times) ? oneOf(random, ODD_TIMES)(iso, ms) : `"${iso}"`;
}

/** For each form, the result of `Date.parse` is the correct one; some depend on the time zone. */
const ODD_FORMS: readonly ((iso: string) => string)[] = [
  (iso) => iso.slice(0, 19) + 'Z',
  (iso) => iso.slice(0, 16) + 'Z',
  (iso) => iso.slice(0, 23),
  (iso) => iso.slice(0, 10),
  (iso) => iso.slice(0, 7),
  (iso) => iso.slice(0, 4),
  (iso) => iso.slice(0, 21) + 'Z',
  (iso) => iso.slice(0, 22) + 'Z',
  (iso) => iso.slice(0, 23) + '9Z',
  (iso) => iso.slice(0, 23) + '999999Z',
  (iso) => iso.replace('Z', '+02:00'),
  (iso) => iso.replace('Z', '-05:30'),
  (iso) => iso.replace('Z', '-00:00'),
  (iso) => iso.replace('Z', '+24:00'),
  (iso) => iso.replace('Z', '+0200'),
  (iso) => iso.replace('Z', '+02'),
  (iso) => iso.replace('Z', 'z'),
  (iso) => iso.replace('T', 't'),
  (iso) => iso.replace('T', ' '),
  (iso) => iso.replace('.', ','),
  (iso) => iso.replace('.', ':'),
  (iso) => iso.replace('-', '/'),
  (iso) => iso.replaceAll('-', '−'),
  (iso) => iso.replace(/\d/, '٣'),
  (iso) => iso.replace('2', ' '),
  (iso) => iso.replace('0', '/'),
  (iso) => iso.replace('0', ':'),
  (iso) => ` ${iso}`,
  (iso) => `${iso} `,
  (iso) => `${iso}Z`,
  (iso) => `${iso}\0`,
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-02-29'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-02-30'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2024-02-30'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '1900-02-29'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-04-31'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-13-01'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-00-01'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-01-00'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-01-32'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '2026-1-1'),
  (iso) => iso.replace(/^\d{4}/, '0000'),
  (iso) => iso.replace(/^\d{4}-\d\d-\d\d/, '0000-01-01'),
  (iso) => iso.replace(/^\d{4}/, '0099'),
  (iso) => iso.replace(/^\d{4}/, '1969'),
  (iso) => iso.replace(/^\d{4}/, '9999'),
  (iso) => iso.replace(/^\d{4}/, '12026'),
  (iso) => iso.replace(/^\d{4}/, '+002026'),
  (iso) => iso.replace(/^\d{4}/, '-000001'),
  (iso) => iso.replace(/^\d{4}/, '-000000'),
  () => '+275760-09-13T00:00:00.000Z',
  () => '+275760-09-13T00:00:00.001Z',
  (iso) => iso.replace(/T\d\d/, 'T24'),
  (iso) => iso.replace(/T.*/, 'T24:00:00.000Z'),
  (iso) => iso.replace(/T.*/, 'T24:00:00.001Z'),
  (iso) => iso.replace(/T.*/, 'T23:60:00.000Z'),
  (iso) => iso.replace(/T.*/, 'T23:59:60.000Z'),
  (iso) => new Date(iso).toUTCString(),
  (iso) => new Date(iso).toString(),
  (iso) => String(Date.parse(iso)),
  () => 'now',
  () => '',
];

const ODD_TIMES: readonly ((iso: string, ms: number) => string)[] = [
  ...ODD_FORMS.map((form) => (iso: string) => quote(form(iso))),
  (iso) => `"${iso.replace('-', '\\u002d')}"`,
  (iso) => `"${iso.replace('T', '\\T')}"`,
  (iso) => `"${iso.replace('T', '\xff')}"`,
  (_iso, ms) => String(ms),
  () => 'null',
  () => '{}',
  (iso) => `["${iso}"]`,
];
