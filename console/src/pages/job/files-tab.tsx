// All files of the job, to download.
import type { Artifact, ResultArtifact } from '../../api/types';
import { artifactContentPath, readArtifact } from '../../api/jobs';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icon';
import { ResourceView } from '../../components/resource-view';
import { Table } from '../../components/table';
import { artifactName } from '../../format/names';
import { formatBytes } from '../../format/numbers';
import { useResource } from '../../use-resource';

interface FilesTabProps {
  project: string;
  artifacts: ResultArtifact[];
}

export function FilesTab({ project, artifacts }: FilesTabProps) {
  const key = artifacts.map((artifact) => artifact.id).join();
  const loaded = useResource(key, (signal) =>
    Promise.all(artifacts.map(({ id }) => readArtifact(project, id, signal))),
  );
  if (artifacts.length === 0) {
    return (
      <EmptyState icon="file" title="No files">
        Files appear when the job is completed, and are removed with its content.
      </EmptyState>
    );
  }
  return (
    <ResourceView resource={loaded}>
      {(list) => (
        <Table
          caption="Files of the job"
          rows={artifacts.map((artifact, index) => ({ ...artifact, stored: list[index] }))}
          rowKey={(file) => file.id}
          columns={[
            { id: 'name', title: 'File', cell: (file) => artifactName(file.purpose) },
            { id: 'type', title: 'Type', cell: (file) => <code>{file.media_type}</code> },
            { id: 'size', title: 'Size', number: true, cell: (file) => formatBytes(Number(file.stored?.bytes ?? 0)) },
            {
              id: 'download',
              title: <span class="off-screen">Download</span>,
              number: true,
              cell: (file) => <DownloadLink project={project} file={file} stored={file.stored} />,
            },
          ]}
        />
      )}
    </ResourceView>
  );
}

interface DownloadLinkProps {
  project: string;
  file: ResultArtifact;
  stored: Artifact | undefined;
}

function DownloadLink({ project, file, stored }: DownloadLinkProps) {
  if (stored && stored.status !== 'available') return <span class="soft">{stored.status}</span>;
  return (
    <a
      class="button small"
      href={artifactContentPath(project, file.id)}
      download
      aria-label={`Download ${artifactName(file.purpose)}`}
    >
      <Icon name="download" />
      <span>Download</span>
    </a>
  );
}
