import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedView } from '#services/identity/saved-views/saved-view-api.ts'
import type { ViewedList } from '#services/identity/saved-views/saved-view-vocabulary.ts'
import { lazyPart } from '@/lazy-page.ts'
import { parseSearch, stringifySearch } from '@/search.ts'
import { Button } from '@/ui/button.tsx'
import { Select } from '@/ui/field.tsx'
import { savedViewsQuery } from './saved-view-queries.ts'

const SaveViewDialog = lazyPart(() => import('./view-dialogs.tsx').then(({ SaveViewDialog }) => SaveViewDialog))
const ChangeViewDialog = lazyPart(() => import('./view-dialogs.tsx').then(({ ChangeViewDialog }) => ChangeViewDialog))

interface SavedViewsProps {
  readonly list: ViewedList
  /** The parameters of the address that a view keeps: filters and order, whether they are on or not. */
  readonly names: readonly string[]
}

type Address = { readonly size?: '50' | '100' | undefined } & Readonly<Record<string, string | undefined>>

/** The member's saved views of a list, and a button that saves what is on or changes the view that is open. */
export function SavedViews({ list, names }: SavedViewsProps) {
  const { search, size, ...address }: Address = useSearch({ strict: false })
  const navigate = useNavigate()
  const { data } = useQuery(savedViewsQuery)
  // The view as it was when the dialog opened: another tab may change it meanwhile.
  const [dialog, setDialog] = useState<ListedView | 'new'>()
  const views = data?.filter((view) => view.list === list) ?? []
  const query = stringifySearch(Object.fromEntries(names.toSorted().map((name) => [name, address[name]]))).slice(1)
  const current = views.find((view) => view.query === query)
  const open = (id: string) =>
    void navigate({
      to: '.',
      search: { ...parseSearch(views.find((view) => view.id === id)?.query ?? ''), size },
    })
  const close = () => setDialog(undefined)
  return (
    <>
      {views.length > 0 && (
        <Select
          label="View"
          placeholder={query === '' || current ? 'Everything' : 'Not saved'}
          options={views.map(({ id, name }) => ({ value: id, label: name }))}
          value={current?.id ?? ''}
          onChange={({ target }) => open(target.value)}
        />
      )}
      {query !== '' && (
        <Button look="secondary" onClick={() => setDialog(current ?? 'new')}>
          {current ? 'Change View' : 'Save View'}
        </Button>
      )}
      {dialog === 'new' && (
        <SaveViewDialog list={list} query={query} isSearched={search !== undefined} onClose={close} />
      )}
      {typeof dialog === 'object' && <ChangeViewDialog view={dialog} onClose={close} />}
    </>
  )
}
