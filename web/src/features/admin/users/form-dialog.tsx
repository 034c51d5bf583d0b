import { type ReactNode, type SubmitEvent, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog, type ReturnTo } from '../../../ui/dialog.tsx'

interface FormDialogProps {
  readonly title: string
  readonly description?: ReactNode
  /** What the button that sends it says: 'Save Changes'. */
  readonly submit: string
  readonly busy: boolean
  readonly disabled?: boolean
  readonly dangerous?: boolean
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void
  readonly onClose: () => void
  readonly returnTo?: ReturnTo | undefined
  readonly width?: 'small' | 'medium' | 'large'
  readonly children: ReactNode
}

/** A form over the page, with its buttons always in sight. It begins at its first field. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, submit, busy, disabled = false, dangerous = false, onSubmit, onClose, returnTo, width = 'medium', children } = props
  const form = useId()
  return (
    <Dialog
      open
      onClose={onClose}
      returnTo={returnTo}
      title={title}
      description={description}
      width={width}
      footer={
        <>
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} look={dangerous ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) onSubmit(event)
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}

interface FormSectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A part of a longer form. */
export function FormSection({ title, children }: FormSectionProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-3 text-14 font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}

/** When only the first half of a save was done: what is saved, what is not, and that the button goes on from there. */
export function PartialSaveNotice({ saved, missing, reason }: { readonly saved: string; readonly missing: string; readonly reason: string }) {
  return (
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-13">
      <p className="font-semibold text-bad">{saved}</p>
      <p>
        {missing} {reason}
      </p>
    </div>
  )
}
