// @ts-check
/**
 * Something that a test needs cannot be had on this machine: no network, a registry that refuses, no apt. The caller
 * skips aloud instead of failing.
 */
export class Unavailable extends Error {
  code = 'UNAVAILABLE';
}

/** Exit code of every script here that could not do its work for such a reason; its output says `skipped: <why>`. */
export const SKIPPED_EXIT_CODE = 3;

const REFUSED =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|\bE40[134]\b|\bE5\d\d\b|Could not resolve|Temporary failure|Failed to fetch|Unable to locate package|socket hang up|fetch failed/;

/**
 * The first line of a tool's output that says that the network or the registry refused; null when it failed otherwise.
 * @param {string} output
 */
export function refusal(output) {
  return (
    output
      .split('\n')
      .find((line) => REFUSED.test(line))
      ?.trim() ?? null
  );
}
