import { type ComponentProps, type ReactNode, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormError } from '../../../ui/states.tsx'

interface FormDialogProps {
  readonly title: string
  readonly description?: ReactNode
  /** The text of the submit button: 'Save Changes'. */
  readonly submit: string
  readonly busy: boolean
  /** Why it could not be saved. */
  readonly error: Error | null
  readonly disabled?: boolean
  readonly dangerous?: boolean
  /** From `useForm`. */
  readonly form: ComponentProps<'form'>
  readonly onClose: () => void
  readonly width?: 'small' | 'medium' | 'large'
  readonly children: ReactNode
}

/** A form over the page; its buttons are always visible. */
export function FormDialog({ submit, busy, error, disabled = false, dangerous = false, form, children, ...dialog }: FormDialogProps) {
  const id = useId()
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button look="secondary" onClick={dialog.onClose}>
            Cancel
          </Button>
          <Button type="submit" form={id} look={dangerous ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
            {submit}
          </Button>
        </>
      }
    >
      <form {...form} id={id} className="flex flex-col gap-5">
        {children}
        <FormError error={error} />
      </form>
    </Dialog>
  )
}

interface FormSectionProps {
  readonly title: string
  readonly disabled?: boolean
  readonly children: ReactNode
}

/** A part of a longer form. */
export function FormSection({ title, disabled, children }: FormSectionProps) {
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-3 text-14 font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}
