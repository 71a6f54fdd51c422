import type { JSX } from 'preact';

/** A short figure to look at; the exact one under the pointer, and for screen readers. */
export function Exact({ short, exact }: { short: string; exact: string }): JSX.Element {
  if (short === exact) return <span class="figure">{short}</span>;
  return (
    <span class="figure" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="visually-hidden">{exact}</span>
    </span>
  );
}
