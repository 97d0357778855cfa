// The chosen files, with their sizes, and why others were refused.
import { Icon } from '../../components/icon';
import { IconButton } from '../../components/icon-button';
import { Notice } from '../../components/notice';
import { formatBytes } from '../../format/numbers';
import { chosenFiles, refusals, removeFile } from './chosen-files';

export function ChosenList() {
  return (
    <>
      {refusals.value.map((text) => (
        <Notice key={text} kind="bad">
          {text}
        </Notice>
      ))}
      {chosenFiles.value.length > 0 && (
        <ul class="chosen" aria-label="Chosen files">
          {chosenFiles.value.map((file, index) => (
            <li key={`${index}-${file.name}`}>
              <Icon name="file" />
              <span class="cut" title={file.name}>
                {file.name}
              </span>
              <span class="soft small">{formatBytes(file.size)}</span>
              <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => removeFile(file)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
