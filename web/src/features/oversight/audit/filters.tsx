// oxlint-disable-next-line no-restricted-imports -- this loads with the pages of the history only
import { decisionTypes, eventFilterOptions } from '#services/oversight/event-catalogue.ts'
import { Button } from '@/ui/button.tsx'
import { endOfDay, startOfDay } from '@/lists/list-query.ts'
import { type Option, Select, TextInput } from '@/ui/field.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { SearchField } from '@/lists/list-controls.tsx'
import type { AuditEntryFilter } from './audit-queries.ts'
import { type Audience, titleOf } from './words.ts'

/** The choice of all kinds, in the address. */
export const EVERYTHING = 'all'

interface FiltersProps {
  readonly reader: Audience
  /** As the address has it: days, or any text of a link. */
  readonly filter: AuditEntryFilter
  /** It can be searched, too. */
  readonly isSearched?: boolean
}

/** Which events a timeline shows: category, actor, days and words. All of it is in the address. */
export function Filters({ reader, filter: { type, actor, from, to, search }, isSearched = false }: FiltersProps) {
  const changeAddress = useChangeAddress()
  const change = (changes: AuditEntryFilter) => void changeAddress({ ...changes }, { replace: true })
  const offered = eventFilterOptions.filter(({ staffOnly }) => reader === 'auditor' || !staffOnly)
  const actors = [
    { value: 'trader', label: reader === 'trader' ? 'You' : 'Traders' },
    { value: 'admin', label: 'Administrators' },
    { value: 'program', label: reader === 'trader' ? "The firm's system" : 'Programs' },
    { value: 'system', label: 'Proofdesk' },
  ]
  const isFiltered = [type, actor, from, to, search].some((one) => one !== undefined)
  return (
    <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-[repeat(4,minmax(0,1fr))_auto] print:hidden">
      {isSearched && (
        <SearchField className="col-span-full" placeholder="Words, an amount, a reason, a name or a request" />
      )}
      <Select
        label="Kind"
        placeholder="Decisions"
        options={withChosen([{ value: EVERYTHING, label: 'Everything' }, ...offered], type, (types) =>
          types
            .split(',')
            .map((each) => titleOf(each, reader))
            .join(', '),
        )}
        value={type ?? ''}
        onChange={({ target }) => change({ type: target.value })}
      />
      <Select
        label="By"
        placeholder="Anyone"
        options={withChosen(actors, actor, (name) => name)}
        value={actor ?? ''}
        onChange={({ target }) => change({ actor: target.value })}
      />
      <TextInput
        label="From"
        type="date"
        value={from ?? ''}
        onChange={({ target }) => change({ from: target.value })}
      />
      <TextInput label="To" type="date" value={to ?? ''} onChange={({ target }) => change({ to: target.value })} />
      <Button
        look="secondary"
        disabled={!isFiltered}
        className="max-lg:col-span-full md:max-lg:justify-self-start"
        onClick={() => change({ type: undefined, actor: undefined, from: undefined, to: undefined, search: undefined })}
      >
        Clear filters
      </Button>
    </search>
  )
}

/** The choices with the one that is on, which may come from a link and be none of ours. */
function withChosen(
  options: readonly Option[],
  chosen: string | undefined,
  name: (value: string) => string,
): readonly Option[] {
  return chosen === undefined || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: name(chosen) }]
}

/** The filter as the server takes it: whole days in the chosen zone. */
export function filterFromSearch({ type, actor, from, to, search }: AuditEntryFilter): AuditEntryFilter {
  // Without a choice: decisions, among which daily balances and sign-ins would drown them.
  return {
    type: type === undefined ? decisionTypes : type === EVERYTHING ? undefined : type,
    actor,
    from: startOfDay(from) ?? from,
    to: endOfDay(to) ?? to,
    search: search?.trim() || undefined,
  }
}
