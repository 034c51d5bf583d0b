import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/ui/button.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'

const UserForm = lazyPart(() => import('./user-form.tsx').then(({ UserForm }) => UserForm))

/** Opens the form for a new user; nothing for roles that may not add one. */
export function AddUserButton() {
  const [open, setOpen] = useState(false)
  if (!useMay('change-accounts')) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <UserPlus size={16} aria-hidden />
        Add User
      </Button>
      {open && <UserForm onClose={() => setOpen(false)} />}
    </>
  )
}
