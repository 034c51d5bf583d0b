import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import type { Session } from '@/api/session.ts'
import { useStore } from '@/use-store.ts'
import { Tabs } from '@/ui/tabs.tsx'
import { PasskeyLogin } from './passkey-login.tsx'
import { AdminLoginForm } from './admin-login-form.tsx'
import { shownBan } from '@/features/frame/session-queries.ts'
import { BannedPage } from './banned-page.tsx'
import { LoginForm } from './login-form.tsx'
import { PanelButton, SignedOutFrame } from './outside-frame.tsx'
import { RegisterForm } from './register-form.tsx'
import { SecondStep } from './second-step.tsx'
import { isAdminPath, returnPath } from './session-end.ts'

/**
 * Login and Sign Up in tabs, and the administrators' panel (specification §2). The tab is in the address: #register.
 */
export function AuthPage() {
  const { hash, state } = useLocation()
  const navigate = useNavigate()
  const router = useRouter()
  const ban = useStore(shownBan)
  const [asAdmin, setAsAdmin] = useState(() => isAdminPath(state.returnTo ?? ''))
  /** Changes the panel and focuses its first field. */
  const show = (admin: boolean) => {
    flushSync(() => setAsAdmin(admin))
    document.querySelector<HTMLInputElement>('main input')?.focus()
  }
  /** Whose sign-in waits for its second factor. */
  const [pending, setPending] = useState<Session>()
  const goOn = (session: Session, role?: AdminRole) => router.history.push(returnPath(state.returnTo, session, role))

  if (ban) return <BannedPage ban={ban} />
  if (pending)
    return (
      <SignedOutFrame
        title="Confirm it is you"
        line="Your sign-in needs a second factor."
        below={<PanelButton onClick={() => setPending(undefined)}>Start again</PanelButton>}
      >
        <SecondStep session={pending} onDone={(role) => goOn(pending, role)} onExpired={() => setPending(undefined)} />
      </SignedOutFrame>
    )
  if (asAdmin)
    return (
      <SignedOutFrame
        title="Admin Login"
        line="For administrators and auditors, with an access key."
        below={<PanelButton onClick={() => show(false)}>Return to Trader Login</PanelButton>}
      >
        <AdminLoginForm onDone={(role) => goOn('admin', role)} onSecondFactor={() => setPending('admin')} />
      </SignedOutFrame>
    )
  const registering = hash === 'register'
  return (
    <SignedOutFrame
      title={registering ? 'Create your account' : 'Sign in to Proofdesk'}
      line={
        registering
          ? 'One account for your challenges, payouts and certificates.'
          : 'Your account, your limits and your payouts.'
      }
      below={<PanelButton onClick={() => show(true)}>Admin Login</PanelButton>}
    >
      <Tabs
        label="Login or Sign Up"
        value={registering ? 'register' : 'login'}
        // Keeps the state, which holds the page to return to.
        onChange={(tab) =>
          void navigate({
            to: '/auth',
            hash: tab === 'register' ? 'register' : '',
            replace: true,
            state: (before) => before,
          })
        }
        tabs={[
          {
            value: 'login',
            label: 'Login',
            content: (
              <div className="flex flex-col gap-4">
                <LoginForm onDone={() => goOn('trader')} onSecondFactor={() => setPending('trader')} />
                <PasskeyLogin onDone={() => goOn('trader')} />
              </div>
            ),
          },
          { value: 'register', label: 'Sign Up', content: <RegisterForm onDone={() => router.history.push('/')} /> },
        ]}
      />
    </SignedOutFrame>
  )
}
