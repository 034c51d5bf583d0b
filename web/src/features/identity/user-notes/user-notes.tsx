import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LONGEST_NOTE } from '#services/framework/api/text.ts'
import { NewUserNote, type UserNote, userNoteRoutes } from '#services/identity/user-notes/user-note-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { useMay } from '@/features/frame/access.tsx'
import { staffChange, type UserName } from '@/features/frame/staff-change.ts'
import { useApiForm } from '@/form/api-form.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'
import { Button } from '@/ui/button.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { TextArea } from '@/ui/field.tsx'
import { Loaded, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'

const userNotesQuery = (id: string) =>
  routeQuery(userNoteRoutes.userNotes, { params: { id }, subjects: ['user-notes'] })

const writeNote = staffChange({
  send: ({ id, text }: UserName & { readonly text: string }) =>
    send(userNoteRoutes.writeUserNote, { params: { id }, body: { text } }),
  done: ({ id, fullName }) => ['Note added', `All staff see it with ${fullName}.`, id],
  failed: () => 'The note could not be added',
})

const removeNote = staffChange({
  send: ({ id, note }: UserName & { readonly note: UserNote }) =>
    send(userNoteRoutes.removeUserNote, { params: { id, note: note.id } }),
  done: ({ id, fullName }) => ['Note deleted', `It is gone from the notes on ${fullName}.`, id],
  failed: () => 'The note could not be deleted',
})

const small = { look: 'quiet', className: 'h-8! px-2! text-13!' } as const

/** What staff wrote about a user for each other. */
export function UserNotes({ user }: { readonly user: UserName }) {
  const notes = useQuery(userNotesQuery(user.id))
  const mayWrite = useMay('write-notes')
  const [asks, setAsks] = useState<'new' | UserNote>()
  const close = () => setAsks(undefined)
  return (
    <DetailsSection
      title="Internal notes"
      className="mb-6"
      buttons={
        mayWrite && (
          <Button {...small} onClick={() => setAsks('new')}>
            Add Note
          </Button>
        )
      }
    >
      <Loaded query={notes} failure="The notes could not be loaded" loading={<LoadingLines lines={1} />}>
        {(written) =>
          written.length === 0 ? (
            <p className="py-2 text-13 text-muted">None. Only staff see them.</p>
          ) : (
            <ul aria-label="Internal notes, newest first" className="divide-y divide-line">
              {written.map((note) => (
                <li key={note.id} className="flex items-start justify-between gap-3 py-2">
                  <div className="min-w-0">
                    <p className="[overflow-wrap:anywhere] whitespace-pre-line">{note.text}</p>
                    <p className="text-13 text-muted">
                      {note.written.name}, <DateText at={note.written.at} how="exact" />
                    </p>
                  </div>
                  {mayWrite && (
                    <Button {...small} aria-label={`Delete note ${note.id}`} onClick={() => setAsks(note)}>
                      Delete
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asks === 'new' && <NoteForm user={user} onClose={close} />}
      {typeof asks === 'object' && (
        <ChangeDialog
          change={removeNote}
          input={{ ...user, note: asks }}
          label="Delete Note"
          staysAfterFailure
          onClose={close}
          title="Delete this note"
          description="The audit keeps that it was written and deleted."
        />
      )}
    </DetailsSection>
  )
}

function NoteForm({ user, onClose }: { readonly user: UserName; readonly onClose: () => void }) {
  const write = useMutation(writeNote)
  const { field, handleSubmit, showRefusal } = useApiForm(NewUserNote, { text: '' })
  const onSubmit = handleSubmit(({ text }) =>
    write.mutate({ ...user, text }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Add Note"
      about={user.id}
      description={`About ${user.fullName}, for staff. It is deleted with the user. Whoever asks the firm for all that it holds about them may read it.`}
      submit="Add Note"
      change={write}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextArea label="Note" rows={4} maxLength={LONGEST_NOTE} {...field('text')} />
    </FormDialog>
  )
}
