import type { JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { EllipsedText } from './EllipsedText';

/** A path that opens its file in the editor. */
export function PathButton({ host, path }: { host: BlockHost; path: string }): JSX.Element {
  return (
    <button
      type="button"
      class="block-link block-path"
      title={host.t('Open file')}
      onClick={() => {
        host.act({ kind: 'openFile', path });
      }}
    >
      <EllipsedText text={path} />
    </button>
  );
}
