import './styles.css'
import './zod-without-eval.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { leaveComposingKeys, readFilledFields } from './input-methods.ts'
import { createApp } from './router.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

// The script before the app says so first, unless it did not arrive.
document.documentElement.dataset['scripts'] = 'run'
leaveComposingKeys()
readFilledFields()
const { router, queryClient } = createApp()

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
