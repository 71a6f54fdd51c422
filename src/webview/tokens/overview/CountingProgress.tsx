import type { JSX } from 'preact';
import type { UsageOverview } from '../../../shared/usage';
import { useApp } from '../tokensApp';

/** How many transcripts are counted, while some are not. */
export function CountingProgress({ files }: { files: UsageOverview['files'] }): JSX.Element | null {
  const { figures, t } = useApp();
  if (files.waiting === 0) return null;
  const done = files.total - files.waiting;
  const text = t('{0} of {1} transcripts counted', figures.exact(done), figures.exact(files.total));
  return (
    <div class="counting">
      <progress aria-label={t('Counting transcripts')} max={files.total} value={done} />
      <span class="quiet">{text}</span>
    </div>
  );
}
