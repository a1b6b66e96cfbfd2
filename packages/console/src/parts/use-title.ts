// The name of the view in the browser's tab and history.
import { useEffect } from 'react'

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Runwright`
  }, [title])
}
