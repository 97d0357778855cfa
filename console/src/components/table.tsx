// A table with a caption for screen readers. On narrow screens it scrolls sideways inside its frame.
import type { ComponentChildren } from 'preact';

export interface Column<T> {
  id: string;
  title: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  // Numbers are aligned to the right.
  number?: boolean;
}

interface TableProps<T> {
  caption: string;
  // A class, for tables with a layout of their own. Their cells have the column as `data-column`.
  kind?: string;
  columns: Column<T>[];
  rows: T[];
  rowKey: (row: T) => string;
}

export function Table<T>({ caption, kind = '', columns, rows, rowKey }: TableProps<T>) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide table scrolls, also with the keyboard
    <div class={`table-frame ${kind}`} role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="off-screen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" {...cellProps(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.id} {...cellProps(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cellProps = <T,>({ id, number }: Column<T>) => ({ 'data-column': id, class: number ? 'number' : undefined });
