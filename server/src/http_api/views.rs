//! How a struct that an answer is made of, and its way from the model, are written as one.

/// A struct of an answer: its name in the document behind `as`, what it is made from behind `from`. A field without `=` is
/// the model's of the same name; one with it has the value that stands there. With `from a in Model { a, b, .. }` these are of
/// `a`, a part of the model.
macro_rules! view {
    (
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident: $model:ty { $($fields:tt)* }
    ) => {
        view!(@struct $(#[$docs])* $vis struct $view as $name from $of ($of, $model) { $($fields)* });
    };
    (
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident in $model:ident { $($part:tt)* } { $($fields:tt)* }
    ) => {
        view!(@struct $(#[$docs])* $vis struct $view as $name from $of ($model { $($part)* }, $model) { $($fields)* });
    };
    (@struct
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident ($pattern:pat_param, $model:ty) {
            $($(#[$field_docs:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?,)*
        }
    ) => {
        $(#[$docs])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        #[schema(as = $name)]
        $vis struct $view {
            $($(#[$field_docs])* $field_vis $field: $type,)*
        }

        impl From<$model> for $view {
            fn from($pattern: $model) -> Self {
                Self { $($field: view!(@value $of $field $($value)?),)* }
            }
        }
    };
    (@value $of:ident $field:ident) => { $of.$field };
    (@value $of:ident $field:ident $value:expr) => { $value };
}

pub(super) use view;
