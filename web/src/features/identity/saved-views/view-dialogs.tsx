import { useMutation } from '@tanstack/react-query'
import { type ListedView, ViewName } from '#services/identity/saved-views/saved-view-api.ts'
import { LONGEST_VIEW_NAME, type ViewedList } from '#services/identity/saved-views/saved-view-vocabulary.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Button } from '@/ui/button.tsx'
import { TextInput } from '@/ui/field.tsx'
import { removeView, renameView, saveView } from './saved-view-queries.ts'

interface SaveViewDialogProps {
  readonly list: ViewedList
  readonly query: string
  /** Something is searched for, which no view keeps. */
  readonly isSearched: boolean
  readonly onClose: () => void
}

/** Saves the filters and the order that are on. */
export function SaveViewDialog({ list, query, isSearched, onClose }: SaveViewDialogProps) {
  const save = useMutation(saveView)
  const { field, handleSubmit, showRefusal } = useApiForm(ViewName, { name: '' })
  const onSubmit = handleSubmit(({ name }) =>
    save.mutate({ list, name, query }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Save View"
      description={`Keeps the filters and the order that are on, for you alone.${isSearched ? ' What you search for is not kept: it may be the name of a trader who is deleted one day.' : ''}`}
      submit="Save View"
      change={save}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput label="Name" autoComplete="off" maxLength={LONGEST_VIEW_NAME} {...field('name')} />
    </FormDialog>
  )
}

/** Renames or deletes a view. */
export function ChangeViewDialog({ view, onClose }: { readonly view: ListedView; readonly onClose: () => void }) {
  const rename = useMutation(renameView)
  const remove = useMutation(removeView)
  const { field, handleSubmit, showRefusal } = useApiForm(ViewName, { name: view.name })
  const onSubmit = handleSubmit(({ name }) =>
    rename.mutate({ id: view.id, name }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Change View"
      about={view.id}
      description="Only you see this view. To change what it shows, set other filters and save them under another name."
      submit="Rename"
      change={rename}
      onSubmit={onSubmit}
      onClose={onClose}
      width="small"
    >
      <TextInput label="Name" autoComplete="off" maxLength={LONGEST_VIEW_NAME} {...field('name')} />
      <Button
        look="secondary"
        className="self-start"
        busy={remove.isPending}
        onClick={() => remove.mutate(view, { onSuccess: onClose })}
      >
        Delete View
      </Button>
    </FormDialog>
  )
}
