import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { timeZone } from '@/time-zone.ts'
import { type Column, DataTable } from './data-table.tsx'

interface Person {
  readonly id: string
  readonly name: string
}

const columns: readonly Column<Person>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Actions', headerHidden: true, cell: ({ name }) => <button type="button">Call {name}</button> },
]
const [ada, grace]: readonly [Person, Person] = [
  { id: '1', name: 'Ada' },
  { id: '2', name: 'Grace' },
]
const idOf = ({ id }: Person) => id
const onOpen = vi.fn<(person: Person) => void>()

const table = (rows: readonly Person[] | undefined) => (
  <DataTable label="People" columns={columns} rows={rows} rowId={idOf} empty="Nobody" onOpen={onOpen} />
)
const rowOf = (name: string) => screen.getByText(name).closest('tr')

describe('the rows of a table', () => {
  it('are opened and left by keys, from the row that has the focus', async () => {
    render(table([ada, grace]))
    rowOf('Ada')?.focus()
    await userEvent.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(rowOf('Grace'))
    await userEvent.keyboard('{Enter}{ArrowUp}')
    expect(document.activeElement).toBe(rowOf('Ada'))
    expect(onOpen.mock.calls).toEqual([[grace]])
  })

  it('ignore keys pressed on their controls', async () => {
    onOpen.mockClear()
    render(table([ada]))
    screen.getByRole('button', { name: 'Call Ada' }).focus()
    await userEvent.keyboard('{Enter}{ArrowDown}')
    expect(onOpen).not.toHaveBeenCalled()
    expect(document.activeElement?.textContent).toBe('Call Ada')
  })

  it('that go while they have the focus leave it to the table, and not to another row', () => {
    const { rerender } = render(table([ada, grace]))
    rowOf('Ada')?.focus()
    rerender(table([grace]))
    expect(screen.queryByText('Ada')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('table', { name: 'People' }))
  })

  it('that go leave the focus where it is when it is elsewhere', () => {
    const { rerender } = render(table([ada, grace]))
    rowOf('Grace')?.focus()
    rerender(table([grace]))
    expect(document.activeElement).toBe(rowOf('Grace'))
  })

  it('give way to a sentence when there are none', () => {
    const { rerender } = render(table(undefined))
    expect(screen.getByRole('status').textContent).toBe('Loading People')
    rerender(table([]))
    expect(screen.getByText('Nobody')).toBeTruthy()
  })

  it('show their times in another zone as soon as it is chosen', () => {
    const zoned: readonly Column<Person>[] = [{ header: 'Zone', cell: () => timeZone.get() }]
    render(<DataTable label="People" columns={zoned} rows={[ada]} rowId={idOf} empty="Nobody" />)
    screen.getByText('utc')
    act(() => timeZone.set('local'))
    screen.getByText('local')
    act(() => timeZone.set('utc'))
  })
})
