import { type ComponentProps, type FormEvent, type ReactNode, useId, useRef } from 'react'
import { Button } from '@/ui/button.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { FormError } from '@/ui/states.tsx'

interface FormDialogProps extends Pick<
  ComponentProps<typeof Dialog>,
  'title' | 'description' | 'width' | 'onClose' | 'children'
> {
  /** The text of the submit button: 'Save Changes'. */
  readonly submit: string
  /** What it sends. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null }
  readonly disabled?: boolean
  readonly dangerous?: boolean
  readonly onSubmit: (event: FormEvent) => void
}

/** A form over the page; its buttons are always visible. Ctrl Enter or ⌘ Enter sends it. */
export function FormDialog({
  submit,
  change,
  disabled = false,
  dangerous = false,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  return (
    <Dialog
      {...dialog}
      onSubmitKey={() => !disabled && !change.isPending && form.current?.requestSubmit()}
      footer={
        <>
          <Button look="secondary" onClick={dialog.onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={id}
            look={dangerous ? 'danger' : 'primary'}
            busy={change.isPending}
            disabled={disabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form ref={form} noValidate onSubmit={onSubmit} id={id} className="flex flex-col gap-5">
        {children}
        <FormError error={change.error} />
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
