/** Who waits for a session, most urgent first. */
export const PRIORITIES = [
  /** A person waits for this one session. */
  'active',
  /** It belongs to what the person sees. */
  'visible',
  /** It is open out of sight. */
  'background',
  /** Nobody asked for it; it lies on the disk. */
  'disk',
] as const;

export type Priority = (typeof PRIORITIES)[number];

export function isMoreUrgent(a: Priority, b: Priority): boolean {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b);
}
