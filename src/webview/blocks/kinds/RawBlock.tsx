import type { JSX } from 'preact';
import { PlainText } from '../parts/PlainText';
import { VisibleText } from '../parts/VisibleText';
import { prettyJson } from '../text/prettyJson';
import type { BlockProps } from './blockProps';

const MAX_TITLE_CHARS = 300;

/** What nobody told the panel how to show: as it is in the transcript. */
export function RawBlock({ block, item, host }: BlockProps<'raw'>): JSX.Element {
  const title = block.title === '' ? host.t('Unknown') : block.title.slice(0, MAX_TITLE_CHARS);
  return (
    <div class="block-raw">
      <div class="block-raw-title" dir="auto">
        <VisibleText text={title} />
      </div>
      <PlainText
        host={host}
        line={item.line}
        path={block.path}
        body={block.body}
        look="code"
        language="json"
        format={prettyJson}
      />
    </div>
  );
}
