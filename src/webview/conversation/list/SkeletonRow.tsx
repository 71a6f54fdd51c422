import type { JSX } from 'preact';

/** The place of a row that is on its way. */
export function SkeletonRow({ height }: { height: number }): JSX.Element {
  return (
    <div class="skeleton" style={{ height: `${height}px` }} aria-hidden="true">
      <div class="column">
        <span class="skeleton-line skeleton-name" />
        <span class="skeleton-line" />
        <span class="skeleton-line skeleton-short" />
      </div>
    </div>
  );
}
