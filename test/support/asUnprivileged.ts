/** "nobody" on Linux and macOS. */
const NOBODY = 65534;

/**
 * Calls `use` as somebody whom file permissions bind: root reads and writes everything. Folders that it works in must be
 * open to everybody, or belong to nobody.
 */
export async function asUnprivileged<T>(use: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return use();
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await use();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
