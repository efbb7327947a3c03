"""Ways to the tasks, comments and activity of a team: each returns whether the caller got through. Of a write, "no" also
means that nothing has changed."""

import json

from teams_world import NEAR, OTHER, OWNERS, passed, queried, unchanged


def get(world, caller, team):
    return passed(caller.get(f"/tasks/{world.tasks[team]}"), 200)


def list_all(world, caller, team):
    answer = caller.get("/tasks", params={"limit": 1000})
    return passed(answer, 200) and world.tasks[team] in [each["id"] for each in answer.json()["documents"]]


def list_filtered(world, caller, team):
    answer = caller.get("/tasks", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def expand(world, caller, team):
    """By a comment of the team on its task."""
    answer = caller.get(f"/comments/{world.comments[team]}", params={"expand": "task"})
    return passed(answer, 200) and isinstance(answer.json()["document"]["task"], dict)


def expand_astray(world, caller, team):
    """By a comment of the other team: those who can read it get the id of the task and nothing of it."""
    answer = caller.get(f"/comments/{world.astray[team]}", params={"expand": "task"})
    if passed(answer, 200):
        return answer.json()["document"]["task"] != world.tasks[team]
    return False


def expand_team(world, caller, team):
    answer = caller.get(f"/tasks/{world.tasks[team]}", params={"expand": "teamId"})
    return passed(answer, 200) and "name" in answer.json()["document"]["teamId"]


def graphql_by_id(world, caller, team):
    data = queried(caller, f'{{ tasksById(id: "{world.tasks[team]}") {{ title }} }}')
    return bool(data and data["tasksById"])


def graphql_list(world, caller, team):
    data = queried(caller, "{ tasks(limit: 1000) { id } }")
    return bool(data and world.tasks[team] in [each["id"] for each in data["tasks"]])


def graphql_count(world, caller, team):
    data = queried(caller, f'{{ tasksCount(filter: {{id: "{world.tasks[team]}"}}) }}')
    return bool(data and data["tasksCount"])


def graphql_relation(world, caller, team):
    data = queried(caller, f'{{ commentsById(id: "{world.astray[team]}") {{ task {{ title }} }} }}')
    return bool(data and data["commentsById"] and data["commentsById"]["task"])


def search(world, caller, team):
    filter = {"teamId": world.teams[team]}
    answer = caller.post("/tasks/search", {"vector": NEAR, "limit": 1000, "filter": filter})
    return passed(answer, 200) and world.tasks[team] in [each["id"] for each in answer.json()["results"]]


def graphql_search(world, caller, team):
    data = queried(caller, "{ tasksSearch(vector: [1, 0], limit: 1000) { id } }")
    return bool(data and world.tasks[team] in [each["id"] for each in data["tasksSearch"]])


def create(world, caller, team):
    before = world.count("tasks", team)
    if passed(caller.post("/tasks", {"teamId": world.teams[team], "title": "new"}), 201):
        return True
    assert world.count("tasks", team) == before
    return False


def update(world, caller, team):
    task = world.task(team)
    return unchanged(world, "tasks", task, lambda: passed(caller.patch(f"/tasks/{task}", {"state": "done"}), 204))


def replace(world, caller, team):
    task = world.task(team)
    body = {"teamId": world.teams[team], "title": "other"}
    return unchanged(world, "tasks", task, lambda: passed(caller.put(f"/tasks/{task}", body), 204))


def delete(world, caller, team):
    task = world.task(team)
    return unchanged(world, "tasks", task, lambda: passed(caller.delete(f"/tasks/{task}"), 204))


def graphql_create(world, caller, team):
    before = world.count("tasks", team)
    text = f'mutation {{ createTasks(input: {{teamId: "{world.teams[team]}", title: "new"}}) {{ id }} }}'
    if queried(caller, text):
        return True
    assert world.count("tasks", team) == before
    return False


def graphql_update(world, caller, team):
    task = world.task(team)
    text = f'mutation {{ updateTasks(id: "{task}", patch: {{state: "done"}}) {{ id }} }}'
    return unchanged(world, "tasks", task, lambda: bool(queried(caller, text)))


def graphql_delete(world, caller, team):
    task = world.task(team)
    text = f'mutation {{ deleteTasks(id: "{task}") }}'
    return unchanged(world, "tasks", task, lambda: bool(queried(caller, text)))


def move_in(world, caller, team):
    """A task of the other team becomes one of this team."""
    task = world.task(OTHER[team])
    body = {"teamId": world.teams[team]}
    return unchanged(world, "tasks", task, lambda: passed(caller.patch(f"/tasks/{task}", body), 204))


def comment(world, caller, team):
    body = {"task": world.tasks[team], "teamId": world.teams[team], "text": "hi"}
    return passed(caller.post("/comments", body), 201)


def comment_from_outside(world, caller, team):
    """A comment of the other team on a task of this one. It gets one answer, whether there is such a task or not."""
    before = world.count("comments", OTHER[team])
    answers = [
        caller.post("/comments", {"task": task, "teamId": world.teams[OTHER[team]], "text": "hi"})
        for task in (world.tasks[team], "none")
    ]
    errors = [(answer.status_code, answer.json()["error"]) for answer in answers if answer.status_code != 201]
    if len(errors) == 2:
        assert errors[0] == errors[1]
    assert world.count("comments", OTHER[team]) == before
    return len(errors) < 2


def edit_comment_of_others(world, caller, team):
    id = world.comment(team)
    if caller is world.people[OWNERS[team]]:
        return False  # it is theirs
    return unchanged(world, "comments", id, lambda: passed(caller.patch(f"/comments/{id}", {"text": "x"}), 204))


def delete_comment_of_others(world, caller, team):
    id = world.comment(team)
    return unchanged(world, "comments", id, lambda: passed(caller.delete(f"/comments/{id}"), 204))


def activity(world, caller, team):
    answer = caller.get("/activity", params={"filter": json.dumps({"teamId": world.teams[team]})})
    return passed(answer, 200) and answer.json()["documents"] != []


def write_activity(world, caller, team):
    body = {"teamId": world.teams[team], "task": world.tasks[team], "what": "deleted", "at": "2026-01-31T09:30:00Z"}
    return passed(caller.post("/activity", body), 201)
