//! A queue that is fair between projects, and within a project between its jobs.

use std::collections::VecDeque;
use std::sync::Arc;

/// Items wait per job; jobs take turns within their project, projects take turns.
pub(crate) struct FairQueue<T> {
    projects: VecDeque<Project<T>>,
}

struct Project<T> {
    name: Arc<str>,
    jobs: VecDeque<Job<T>>,
}

struct Job<T> {
    name: Arc<str>,
    items: VecDeque<T>,
}

impl<T> FairQueue<T> {
    pub(crate) fn new() -> Self {
        Self { projects: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, project: &Arc<str>, job: &Arc<str>, item: T) {
        let place = self.projects.iter().position(|waiting| waiting.name == *project);
        let place = place.unwrap_or_else(|| {
            self.projects.push_back(Project { name: project.clone(), jobs: VecDeque::new() });
            self.projects.len() - 1
        });
        let jobs = &mut self.projects[place].jobs;
        match jobs.iter_mut().find(|waiting| waiting.name == *job) {
            Some(waiting) => waiting.items.push_back(item),
            None => jobs.push_back(Job { name: job.clone(), items: VecDeque::from([item]) }),
        }
    }

    /// The next item; its job and project go to the back of their lines.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let mut project = self.projects.pop_front()?;
        let mut job = project.jobs.pop_front()?;
        let item = job.items.pop_front();
        if !job.items.is_empty() {
            project.jobs.push_back(job);
        }
        if !project.jobs.is_empty() {
            self.projects.push_back(project);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(pushed: &[(&str, &str, u32)]) -> Vec<u32> {
        let mut queue = FairQueue::new();
        for (project, job, item) in pushed {
            queue.push(&(*project).into(), &(*job).into(), *item);
        }
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn projects_take_turns_however_much_one_brings() {
        let order = drain(&[("a", "1", 1), ("a", "1", 2), ("a", "1", 3), ("b", "1", 10), ("b", "1", 11)]);
        assert_eq!(order, [1, 10, 2, 11, 3]);
    }

    #[test]
    fn jobs_of_a_project_take_turns_and_keep_their_own_order() {
        let order = drain(&[("a", "1", 1), ("a", "1", 2), ("a", "2", 20), ("a", "2", 21)]);
        assert_eq!(order, [1, 20, 2, 21]);
    }
}
