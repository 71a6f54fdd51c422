const START_MS = Date.UTC(2026, 5, 1, 10);
const FAR_STEP_MS = 30_000;
const NEAR_STEP_MS = 700;

/**
 * The `near` spacing of a damaged variant from its `far` one: rows that are 30 s apart become 0.7 s apart, within the
 * 5 seconds in which the client bridges a missing parent. Times on other days (of file backups) stay.
 */
export function nearVariant(far: Buffer): Buffer {
  const text = far.toString('latin1').replace(/(?<=")2026-06-\d\dT[\d:.]+Z(?=")/g, (time) => {
    const steps = (Date.parse(time) - START_MS) / FAR_STEP_MS;
    return new Date(START_MS + Math.round(steps * NEAR_STEP_MS)).toISOString();
  });
  return Buffer.from(text, 'latin1');
}
