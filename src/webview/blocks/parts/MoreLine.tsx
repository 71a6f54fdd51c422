import type { JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { formatSize } from '../text/formatSize';
import type { PagedText } from './usePagedText';

/**
 * The line below a text that is not all there.
 * @param lines  of the whole text, where they were counted
 * @param shown  UTF-16 units of `paged.text` that are shown
 */
export function MoreLine(props: {
  readonly host: BlockHost;
  readonly paged: PagedText;
  readonly lines: number | null;
  readonly shown: number;
}): JSX.Element | null {
  const { host, paged, lines, shown } = props;
  if (!paged.isExpanded) {
    const label = lines === null ? host.t('Show all ({0})', paged.size) : host.t('Show all ({0} lines)', lines);
    return (
      <button type="button" data-unsearched class="block-link block-more" onClick={paged.toggle}>
        {label}
      </button>
    );
  }
  return (
    <div data-unsearched class="block-more">
      {paged.loaded?.kind === 'waiting' && <span role="status">{host.t('Loading…')}</span>}
      {paged.loaded?.kind === 'gone' && (
        <span role="status">{host.t('The rest is not in the transcript any more.')}</span>
      )}
      {shown < paged.text.length && (
        <button type="button" class="block-link" onClick={paged.showNextPage}>
          {host.t('Show more ({0} of {1})', formatSize(shown, host.locale), paged.size)}
        </button>
      )}
      <button type="button" class="block-link" onClick={paged.toggle}>
        {host.t('Show less')}
      </button>
    </div>
  );
}
