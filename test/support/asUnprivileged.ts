/** "nobody" on Linux and macOS. */
const NOBODY = 65534;

/**
 * Calls `use` as a user to whom file permissions apply, because root reads and writes everything. Folders in which it
 * works must be open to everybody, or belong to nobody.
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
